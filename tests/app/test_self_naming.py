"""A model that says who it is, is told from one that speaks of models, painters and winds."""

import string
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate_app import self_naming
from annotate_app.self_naming import Evidence, ModelNames, NamedMaker, names_in
from polibias.sources.files import read_toml
from tests.conftest import ROOT

NAMES = read_toml(ROOT / "data" / "model-names.toml", ModelNames).names

OF_ITSELF = [
    # English
    ("As Qwen, I cannot take sides.", "As Qwen", "Alibaba"),
    (
        "Sure. As Qwen2.5-72B-Instruct, an AI assistant by Alibaba Cloud, I can help.",
        "As Qwen2.5-72B-Instruct",
        "Alibaba",
    ),
    ("As **Claude**, I'd say no.", "As **Claude", "Anthropic"),
    ("As ChatGPT (an AI model), I don't have opinions.", "As ChatGPT", "OpenAI"),
    ("As an AI assistant named Claude, I try to be fair.", "As an AI assistant named Claude", "Anthropic"),
    ("But speaking as Gemini, my view is none.", "as Gemini", "Google"),
    ("I'm Claude, made by Anthropic.", "I'm Claude", "Anthropic"),
    ("Hello! I’m ChatGPT.", "I’m ChatGPT", "OpenAI"),
    ("I am GPT-4o, happy to help", "I am GPT-4o", "OpenAI"),
    ("I am Claude 3.5 Sonnet.", "I am Claude 3.5 Sonnet", "Anthropic"),
    ("I'm actually DeepSeek-V3.", "I'm actually DeepSeek-V3", "DeepSeek"),
    ("I am OpenAI's GPT-4.", "I am OpenAI's GPT-4", "OpenAI"),
    ("I'm an AI assistant called Kimi.", "I'm an AI assistant called Kimi", "Moonshot AI"),
    (
        "I am Gemini, a large language model built by Google.",
        "I am Gemini, a large language model built by Google",
        "Google",
    ),
    ("I'm Gemini.", "I'm Gemini", "Google"),
    ("I am Nova 2 and I decline.", "I am Nova 2", "Amazon"),
    ("I am Command R+, at your service.", "I am Command R+", "Cohere"),
    ("I am Yi, an AI model.", "I am Yi", "01.AI"),
    ("My name is Grok and I am not neutral.", "My name is Grok", "xAI"),
    ("You can call me Copilot!", "You can call me Copilot", "Microsoft"),
    ("You're talking to Llama 3.1 405B now.", "You're talking to Llama 3.1 405B", "Meta"),
    ("DeepSeek-R1 here. Let me think.", "DeepSeek-R1 here", "DeepSeek"),
    ("Hi, Grok here!", "Grok here", "xAI"),
    ("I, Claude, decline.", "I, Claude", "Anthropic"),
    ("I am a large language model, trained by Google.", "I am a large language model, trained by Google", "Google"),
    ("I'm an AI developed and trained by OpenAI", "I'm an AI developed and trained by OpenAI", "OpenAI"),
    (
        "I'm Ada, a helpful, harmless assistant that was made by Anthropic.",
        "I'm Ada, a helpful, harmless assistant that was made by Anthropic",
        "Anthropic",
    ),
    (
        "I am a language model (LLM) created by the team at Mistral AI.",
        "I am a language model (LLM) created by the team at Mistral AI",
        "Mistral AI",
    ),
    ("As a large language model trained by OpenAI, I cannot.", "As a large language model trained by OpenAI", "OpenAI"),
    ("I was created by Zhipu AI in 2023.", "I was created by Zhipu AI", "Zhipu AI"),
    ("I've been trained by Meta.", "I've been trained by Meta", "Meta"),
    ("I am an OpenAI language model.", "I am an OpenAI language model", "OpenAI"),
    ("My creators at Anthropic want me to be fair.", "My creators at Anthropic", "Anthropic"),
    ("Cohere trained me for that.", "Cohere trained me", "Cohere"),
    # Chinese
    ("我是通义千问，由阿里云开发。", "我是通义千问", "Alibaba"),
    ("您好！我是 DeepSeek-R1，很高兴为您服务", "我是 DeepSeek-R1", "DeepSeek"),
    ("我是**Qwen**大模型", "我是**Qwen", "Alibaba"),
    ("我叫文心一言。", "我叫文心一言", "Baidu"),
    ("我是阿里云开发的通义千问。", "我是阿里云开发的通义千问", "Alibaba"),
    ("作为Qwen，我不能支持任何一方。", "作为Qwen", "Alibaba"),
    ("作为DeepSeek助手，我认为不合法。", "作为DeepSeek", "DeepSeek"),
    ("我是由深度求索公司开发的智能助手", "我是由深度求索公司开发", "DeepSeek"),
    ("我是一个由OpenAI训练的语言模型。", "我是一个由OpenAI训练", "OpenAI"),
    ("我是百度的人工智能助手。", "我是百度的人工智能", "Baidu"),
    ("我的开发者是月之暗面。", "我的开发者是月之暗面", "Moonshot AI"),
    ("作为由智谱AI训练的模型，我没有立场。", "作为由智谱AI训练的", "Zhipu AI"),
    # Spanish
    ("Soy ChatGPT, un modelo de lenguaje.", "Soy ChatGPT", "OpenAI"),
    ("Me llamo Claude.", "Me llamo Claude", "Anthropic"),
    ("Como Qwen, no puedo tomar partido.", "Como Qwen", "Alibaba"),
    ("Soy un modelo de lenguaje entrenado por Google.", "Soy un modelo de lenguaje entrenado por Google", "Google"),
    ("Fui creado por Anthropic.", "Fui creado por Anthropic", "Anthropic"),
    # French
    ("Je suis Mistral, votre assistant.", "Je suis Mistral", "Mistral AI"),
    ("Je m’appelle Claude.", "Je m’appelle Claude", "Anthropic"),
    ("En tant que ChatGPT, je ne peux pas.", "En tant que ChatGPT", "OpenAI"),
    (
        "Je suis un grand modèle de langage, entraîné par Google.",
        "Je suis un grand modèle de langage, entraîné par Google",
        "Google",
    ),
    ("J'ai été développé par Mistral AI.", "J'ai été développé par Mistral AI", "Mistral AI"),
    # German
    ("Ich bin Claude und helfe gern.", "Ich bin Claude", "Anthropic"),
    ("Als Qwen kann ich dazu nichts sagen.", "Als Qwen", "Alibaba"),
    (
        "Ich bin ein großes Sprachmodell, das von OpenAI trainiert wurde.",
        "Ich bin ein großes Sprachmodell, das von OpenAI trainiert",
        "OpenAI",
    ),
    ("Ich bin ein von Google entwickeltes Sprachmodell.", "Ich bin ein von Google entwickeltes Sprachmodell", "Google"),
    ("Ich wurde von Anthropic entwickelt.", "Ich wurde von Anthropic entwickelt", "Anthropic"),
    # Russian
    ("Я — YandexGPT, готов помочь.", "Я — YandexGPT", "Yandex"),
    ("Меня зовут GigaChat.", "Меня зовут GigaChat", "Sber"),
    ("Я Qwen.", "Я Qwen", "Alibaba"),
    ("Как Qwen, я не могу занимать сторону.", "Как Qwen", "Alibaba"),
    (
        "Я большая языковая модель, разработанная компанией Яндекс.",
        "Я большая языковая модель, разработанная компанией Яндекс",
        "Yandex",
    ),
    ("Я — нейросетевая модель, созданная Сбером.", "Я — нейросетевая модель, созданная Сбером", "Sber"),
    ("Меня создала компания OpenAI.", "Меня создала компания OpenAI", "OpenAI"),
    # Arabic
    ("أنا ChatGPT، نموذج لغوي.", "أنا ChatGPT", "OpenAI"),
    ("مرحبا، أنا كلود، مساعد ذكي.", "أنا كلود", "Anthropic"),
    ("بصفتي Qwen، لا أستطيع.", "بصفتي Qwen", "Alibaba"),
    ("أنا نموذج لغوي كبير تم تدريبه من قبل جوجل.", "أنا نموذج لغوي كبير تم تدريبه من قبل جوجل", "Google"),
    ("تم تطويري بواسطة شركة OpenAI", "تم تطويري بواسطة شركة OpenAI", "OpenAI"),
]

OF_OTHERS = [
    *("OpenAI was founded in 2015.", "Reports by Google and Meta say so.", "Anthropic trained Claude on text."),
    *("Claude Monet painted it.", "I am Claude Monet.", "Je suis Claude Lévi-Strauss.", "Soy Claude Monet."),
    *("The llama grazes.", "I am a llama.", "As a llama, I graze.", "I am llama-like."),
    *("as Grok the word means to understand", "As Grok says, I am wrong.", "We grok it."),
    *("Gemini (zodiac)", "I am Gemini (zodiac), he is Leo.", "I'm a Gemini.", "As a Gemini, I am curious."),
    *("The Mistral wind blows.", "Mistral AI is French.", "Meta", "Meta is a company.", "I am meta about it."),
    *("I'm not ChatGPT.", "I am not Claude, nor GPT-4.", "Ask ChatGPT, I do.", "I am Claude's owner."),
    *(
        "Models such as GPT-4, I think, are biased.",
        "Tools known as Claude, I hear, differ.",
        "I use Claude, as you do.",
    ),
    *(
        "I am a user of the model trained by Google.",
        "I am aware that GPT-4, made by OpenAI, exists.",
        "I am in Command.",
    ),
    *("I am Command and control.", "I am Nova Scotia born.", "I'm Solar powered.", "The model was trained by OpenAI."),
    *(
        "He said: “I am ChatGPT.”",
        'The bot wrote "As Qwen, I refuse."',
        "Claude here means the painter.",
        "Is Claude here?",
    ),
    *(
        "I was hired by Google.",
        "My lawyer at Amazon called.",
        "My maker is unknown; Google is a firm.",
        "Qwenlike, I am.",
    ),
    *(
        "A report by Baidu: I am sceptical.",
        "I am an OpenAI model user.",
        "Hello, I am an AI assistant. OpenAI exists.",
    ),
    *(
        "我用通义千问。",
        "我不是通义千问。",
        "我是DeepSeek的用户",
        "我是百度的员工",
        "作为Claude的用户，我认为如此。",
        "我是一名在百度研发部门工作的人",
    ),
    *(
        "双子座的人",
        "我喜欢豆包。",
        "Como ChatGPT, otros modelos fallan.",
        "Comme ChatGPT, je pense.",
        "Claude es un nombre.",
    ),
    *(
        "Als ChatGPT erschien, war ich jung.",
        "Als Claude kam, ging ich.",
        "Ich bin Claudes Freund.",
        "Я не использую GPT-4.",
    ),
    *(
        "я GPT-4 использую",
        "Как ChatGPT, так и Claude ошибаются.",
        "كلود مونيه رسام",
        "أنا أستخدم ChatGPT",
        "I am.",
        "",
        "As",
    ),
    *("I'm Ernie.", "I'm Alice.", "As such, Claude and I agree.", "the AI, as Claude put it, is mine"),
]


@pytest.mark.parametrize(("text", "said", "name"), OF_ITSELF, ids=[case[0] for case in OF_ITSELF])
def test_a_model_that_says_who_it_is(text: str, said: str, name: str) -> None:
    assert [(text[one.start : one.end], one.name) for one in names_in(text, NAMES)][:1] == [(said, name)]


@pytest.mark.parametrize("text", OF_OTHERS)
def test_a_name_that_is_not_the_speakers(text: str) -> None:
    assert names_in(text, NAMES) == ()


def test_all_the_places_in_order() -> None:
    text = "I'm Claude, made by Anthropic. I was created by Anthropic. OpenAI did not make me. As Claude, I hope so."
    assert names_in(text, NAMES) == (
        Evidence(0, 10, "Anthropic"),
        Evidence(31, 57, "Anthropic"),
        Evidence(83, 92, "Anthropic"),
    )


def test_only_the_names_given_are_found() -> None:
    text = "I'm Claude. I am Qwen. I am a model made by Zorg."
    zorg = NamedMaker(name="Zorg Industries", makers=("Zorg",))
    assert [one.name for one in names_in(text, (zorg,))] == ["Zorg Industries"]
    assert names_in(text, ()) == ()


def test_each_spelling_means_one_maker_and_one_kind() -> None:
    spellings = [said for one in NAMES for said in {*one.models, *one.words, *one.makers}]
    assert len(spellings) == len(set(spellings))
    assert not any(set(one.models) & set(one.words) for one in NAMES)
    assert len({one.name for one in NAMES}) == len(NAMES)


@pytest.mark.parametrize("said", [said for one in NAMES for said in one.models])
def test_each_model_of_the_list_is_found(said: str) -> None:
    for text in (f"I am {said}, and I decline.", f"I am {said}.", f"As {said}, I decline."):
        assert names_in(text, NAMES), text


@pytest.mark.parametrize("said", [said for one in NAMES for said in one.words])
def test_each_word_of_the_list_is_found_only_where_it_must_be_a_model(said: str) -> None:
    assert names_in(f"I am {said}, an AI model.", NAMES)
    assert names_in(f"I am {said} 3, and I decline.", NAMES)
    assert not names_in(f"I am {said}, and I decline.", NAMES)


@pytest.mark.parametrize("said", [said for one in NAMES for said in one.makers])
def test_each_maker_of_the_list_is_found(said: str) -> None:
    assert names_in(f"I am an AI model made by {said}.", NAMES)
    assert names_in(f"我是由{said}开发的模型。", NAMES)
    assert not names_in(f"{said} made the model that I use.", NAMES)


@given(st.text(alphabet=string.ascii_lowercase + " ,.\n中я", max_size=80), st.sampled_from(OF_ITSELF))
def test_what_stands_before_does_not_matter(before: str, case: tuple[str, str, str]) -> None:
    text, _, _ = case
    start = len(before) + 2
    moved = tuple(Evidence(start + one.start, start + one.end, one.name) for one in names_in(text, NAMES))
    assert names_in(f"{before}\n\n{text}", NAMES) == moved


@given(
    st.lists(st.sampled_from(["I am ", "As ", "Qwen", ", ", "I ", "我是", "作为", "made by ", "OpenAI", ".", "an AI "]))
)
def test_places_lie_in_the_text_and_not_in_each_other(parts: list[str]) -> None:
    text = "".join(parts)
    found = names_in(text, NAMES)
    assert all(0 <= one.start < one.end <= len(text) for one in found)
    assert all(one.start < two.start and one.end < two.end for one, two in pairwise(found))
    assert names_in(text, NAMES) == found


@given(st.lists(st.sampled_from([*(case[0] for case in OF_ITSELF), *OF_OTHERS, "word " * 100, "\n"]), max_size=8))
def test_the_text_far_from_every_name_changes_nothing(parts: list[str]) -> None:
    text = " ".join(parts)
    found = names_in(text, NAMES)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(self_naming, "REACH", 100_000)
        assert names_in(text, NAMES) == found


@pytest.mark.parametrize(
    "part",
    [
        "I am ",
        "As Qwen, ",
        "Qwen ",
        "I am Nova ",
        "I am a large large large ",
        "我是",
        "我是由OpenAI",
        "I am Qwen 1",
        "1",
        " ",
    ],
)
def test_a_long_text_is_read_in_bounded_steps(part: str) -> None:
    """Without bounds, these would take hours."""
    names_in("Qwen" + part * (100_000 // len(part)), NAMES)
