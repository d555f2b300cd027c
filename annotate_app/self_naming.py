"""Where a response says which model wrote it, or who made that model: an annotator who reads it is blind no more.

Only what a model says of itself counts: "I am X", "as X, I", "X here", "a language model made by X", in English,
Chinese, Spanish, French, German, Russian and Arabic. Names in the third person, in reported speech and of other people
("Claude Monet") do not. What is not found may still be there: the rules are precise before they are complete.

A rule starts at words of the first person or at a name and looks a bounded way ahead, so the time grows with the length
alone.
"""

import datetime
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import groupby
from typing import NamedTuple

from polibias.domain.value import Text, Value


class NamedMaker(Value, frozen=True):
    """A maker and its models as they are written. `words` are models with a name that means other things too."""

    name: Text
    models: tuple[Text, ...] = ()
    words: tuple[Text, ...] = ()
    makers: tuple[Text, ...] = ()


class ModelNames(Value, frozen=True):
    """What `data/model-names.toml` holds."""

    as_of: datetime.date
    names: tuple[NamedMaker, ...]


class Evidence(NamedTuple):
    """`text[start:end]` names the model or its maker; `name` is the maker's as listed."""

    start: int
    end: int
    name: str


# In a rule a space is any white space, and a blank is filled from PHRASES or with names. <NAME>: a model, a word among
# them only where it must be one. <ANY>: a model, where the sentence leaves no doubt. <MAKER>: a maker. <OF>: a maker
# beside the name that counts. Each rule has one name that counts.
RULES = (
    # English
    r"<EN_I_AM>(?: (?:really|actually|just|simply|called|named|currently|indeed|now|still))?(?: <OF>['’]s)?"
    r"(?: <EN>,?(?: (?:called|named|known as))?)? <NAME>",
    r"[Mm]y name(?:['’]s| is) <NAME>",
    r"(?:You can|you can|You may|you may|Please|please|Just|just) call me <NAME>",
    r"[Yy]ou(?:['’]re| are)(?: currently| now)? (?:talking|chatting|speaking) (?:to|with) <NAME>",
    r"I, <ANY>(?=<CLOSE>,)",
    r"<EN_AS>(?: <EN>(?: (?:called|named))?)? <ANY>(?=<CLOSE><EN_I>)",
    r"<EN_I_AM>(?: (?:just|only|actually|simply))?(?: [A-Z][\w.-]{1,20},)? <EN><EN_BY> <MAKER>",
    r"<EN_AS> <EN><EN_BY> <MAKER>(?=<CLOSE><EN_I>)",
    r"I(?:['’]m| am| was|['’]ve been| have been)(?: originally)? <EN_MADE> by(?: <EN_TEAM>)? <MAKER>",
    r"<EN_I_AM>(?: an?| the)? <MAKER>(?:['’]s)?(?: <EN_KIND>){0,6} (?:model|assistant|AI|chatbot|LLM)\b(?! [a-z]+er\b)",
    r"[Mm]y (?:developer|creator|maker|parent company|trainer)s?(?:,| is| are| at)(?: <EN_TEAM>)? <MAKER>",
    # Chinese
    r"我(?:是|叫|名叫|的名字是|的名字叫)\s?(?:由?<OF>[^，。！？\n]{0,10}?的?)?<NAME>(?=<CLOSE><ZH_END>)",
    r"(?:作为|作為|身为)\s?(?:由?<OF>[^，。！？\n]{0,10}?的)?<ANY>(?=<CLOSE><ZH_END>[^。！？\n]{0,60}?我)",
    r"我(?:是(?:[^，。！？\n]{0,12}?由)?|由)\s?<MAKER>[^，。！？\n]{0,12}?<ZH_MADE>(?=[的并和，。、]|$)",
    r"我是\s?<MAKER>的\s?(?:AI|人工智能|大?语言|大?模型|智能|助手|聊天)",
    r"(?:作为|作為)(?:[^，。！？\n]{0,12}?由)?\s?<MAKER>[^，。！？\n]{0,12}?<ZH_MADE>的(?=[^。！？\n]{0,60}?我)",
    r"我的(?:开发者|创造者|开发商|开发公司|开发团队)是\s?<MAKER>",
    # Spanish
    r"(?:Soy|soy|Me llamo|me llamo|Mi nombre es|mi nombre es)(?: <ES>,?(?: llamado)?)? <NAME>",
    r"[Cc]omo <ANY>(?=<CLOSE><APART> <ES_I>\b)",
    r"(?:Soy|soy|Como|como) <ES>,?(?: que (?:fue|ha sido))? <ES_MADE> por <MAKER>",
    r"(?:Fui|fui|He sido|he sido) <ES_MADE> por <MAKER>",
    # French
    r"(?:Je|je|Mon|mon) (?:suis|m['’]appelle|nom est)(?: <FR>,?(?: nommée?)?)? <NAME>",
    r"[Ee]n (?:tant que|qualité de) <ANY>(?=<CLOSE><APART> (?:je|j['’]|mon|ma|mes)\b)",
    r"(?:Je suis|je suis|En tant que|en tant que) <FR>,?(?: qui a été)? <FR_MADE> par <MAKER>",
    r"[Jj]['’]ai été <FR_MADE> par <MAKER>",
    # German
    r"(?:Ich|ich|Mein|mein) (?:bin|heiße|Name ist)(?: <DE>)? <NAME>",
    r"[Aa]ls <ANY>(?=<CLOSE>(?:,(?:[^.!?\n,]{1,80},){1,3}?)? <DE_AM> ich\b)",
    r"(?:Ich bin|ich bin|Als|als) <DE>,?(?: (?:das|der|die|welches))? von <MAKER> <DE_MADE>",
    r"(?:Ich bin|ich bin|Als|als) <DE_A> von <MAKER> <DE_MADE>\w{0,3} (?:\w+ )?\w*(?:[Mm]odell|KI|[Aa]ssistent)",
    r"[Ii]ch wurde von <MAKER> <DE_MADE>",
    # Russian
    r"[Яя] ?[—–-] ?(?:<RU>,? ?[—–-]? ?)?<NAME>",
    r"[Мм]еня зовут <NAME>",
    r"[Яя] <NAME>(?=<CLOSE>(?:[,.!(\n]|\Z))",
    r"[Кк]ак <ANY>(?=<CLOSE><APART> (?:я|мне|меня|мой|моя|мои|у меня)\b)",
    r"(?:Я|я|Как|как)(?: ?[—–-])? <RU>,?(?: котор\w+ был[аио]?)? <RU_MADE>(?: в| из)?<RU_TEAM> <MAKER>",
    r"(?:Меня|меня|Я был[аио]?|я был[аио]?) <RU_MADE><RU_TEAM> <MAKER>",
    # Arabic
    r"(?:وأنا|أنا|انا|اسمي|بصفتي|باعتباري)(?: <AR>[،,]?)? <NAME>",
    r"(?:أنا|انا|بصفتي|باعتباري) <AR>[،,]? (?:تم )?<AR_MADE>(?: <AR_BY>){0,2} <MAKER>",
    r"(?:تم (?:تدريبي|تطويري|إنشائي)|طورتني|طوّرتني|دربتني|درّبتني|أنشأتني)(?: <AR_BY>){0,2} <MAKER>",
)


AT_A_NAME = (
    r"(?:^|(?<=[.!?,:—]\x20)|(?<=[*_`]))<ANY> here(?=[,.!:;*]| ?[—–-]|\s*$)",
    r"<MAKER>,?(?: (?:who|which|that))?(?: has| have)? (?:trained|created|developed|designed) me\b",
)


def _one_of(words: str) -> str:
    return f"(?:{'|'.join(words.split())})"


PHRASES = {
    "CLOSE": r"[*_`\"”»」』》]{0,3}",
    # What stands between a name and the rest of its sentence.
    "APART": r"(?:,(?:[^.!?\n,]{1,80},){0,3}?| ?\([^)\n]{1,60}\),?)",
    "EN_I_AM": r"I(?:['’]m| am)",
    "EN_I": r"<APART> (?:I|I['’][a-z]{1,2}|my)\b",
    "EN_AS": "[Aa]s"
    + "".join(rf"(?<!{word}\x20..)" for word in ("such", "well", "known", "same", "just", "much", "not")),
    "EN_KIND": _one_of(
        "large language AI artificial intelligence helpful harmless honest safe friendly multimodal multilingual"
        " virtual conversational digital text-based foundation generative new advanced powerful open-source open-weight"
        " neural network computer machine learning chat AI-powered pre-trained pretrained deep and based purely"
    )
    + ",?",
    "EN": r"(?:an?|the)(?: <EN_KIND>){0,8} "
    + _one_of("model assistant AI chatbot LLM system program bot intelligence agent")
    + r"(?: \([A-Z]{2,4}\))?",
    "EN_MADE": r"<EN_VERB>(?:(?:,| and|, and) <EN_VERB>){0,2}",
    "EN_VERB": _one_of("trained developed created made built designed produced provided released engineered"),
    "EN_BY": r",?(?: (?:that|which)(?: was|['’]s| is| has been))?(?: <EN_MADE> by| from)(?: <EN_TEAM>)?",
    "EN_TEAM": r"(?:the |a )?(?:(?:teams?|researchers|people|engineers|company)(?: (?:at|of|from|called))?|folks at)",
    "ZH_MADE": _one_of("开发 開發 研发 研發 训练 訓練 创造 創造 创建 推出 打造 设计 構建 构建 发布"),
    "ZH_END": r"(?:\s?(?:[，,。.！!；;：:（()）\n—-]|大?模型|大?语言模型|AI|人工智能|智能|助手|聊天|由|来自"
    r"|一[个款位名种])|\s*$)",
    "ES": r"una?(?: "
    + _one_of(
        "gran grande extenso modelo asistente inteligencia artificial de lenguaje IA AI virtual conversacional sistema"
        " chatbot programa a escala"
    )
    + "){1,9}",
    "ES_I": r"(?:yo|no (?:puedo|tengo|soy|debo|me)|puedo|debo|tengo|mi|mis|me|soy|estoy|he)",
    "ES_MADE": r"(?:(?:entrenad|desarrollad|cread|diseñad)[oa](?: y)? ?){1,2}",
    "FR": r"une?(?: "
    + _one_of(
        "grand large modèle assistant intelligence artificielle de langage langue IA AI virtuel conversationnel système"
        " chatbot programme"
    )
    + "){1,9}",
    "FR_MADE": r"(?:entraîné|développé|créé|conçu|formé)e?(?: et (?:entraîné|développé|créé|conçu)e?)?",
    "DE": r"<DE_A>(?: "
    + _one_of(
        "großes großen KI Sprachmodell KI-Sprachmodell KI-Modell KI-Assistent KI-Assistentin KI-System Modell Assistent"
        " künstliche Intelligenz virtueller Chatbot AI"
    )
    + "){1,5}",
    "DE_A": _one_of("ein eine einem das die der"),
    "DE_AM": _one_of("kann bin habe darf möchte muss werde würde soll könnte"),
    "DE_MADE": _one_of("entwickelt trainiert erstellt geschaffen erschaffen gebaut"),
    "RU": r"(?:это )?(?:"
    + _one_of(
        "большая языковая модель искусственный интеллект ИИ ИИ-ассистент ассистент виртуальный голосовой помощник"
        " нейросеть нейросетевая чат-бот AI"
    )
    + r",? ?){1,6}(?<!\x20)",
    "RU_MADE": r"(?:разработа|созда|обуч|натренирова)\w{0,4}",
    "RU_TEAM": r"(?: компани\w{1,2}| командой)?",
    "AR": "(?:"
    + _one_of("نموذج لغوي لغة كبير ضخم ذكاء اصطناعي مساعد للذكاء الذكاء الاصطناعي روبوت محادثة افتراضي ذكي")
    + r" ?){1,8}(?<!\x20)",
    "AR_MADE": r"(?:من تطوير|"
    + _one_of("تدريبه تطويره إنشاؤه تدريبي تطويري طورته طوّرته دربته درّبته أنشأته مدرب مدرّب مطور مطوّر")
    + ")",
    "AR_BY": r"(?:شركة|بواسطة|من قبل|من|على يد|فريق)",
}
OPEN = r"[*_`\"“«「『《]{0,3}"
VERSION = r"[ ‑-]?[A-Za-z]{0,2}\d[A-Za-z0-9.-]{0,30}(?<![.-])"
TIER = (
    r"[ -](?:Sonnet|Opus|Haiku|Pro|Flash|Ultra|Turbo|Instruct|[Cc]hat|[Cc]oder|[Mm]ax|[Pp]lus|[Mm]ini|Nano|Large|Medium"
    r"|Small|Lite|oss|AI)\b"
)
# Not the start of a longer word, not "Claude's", not "Claude-like", not "Claude Monet".
END = r"(?![A-Za-z0-9_À-ɏЀ-ӿء-ي])(?!['’]s\b)(?!-[a-z])(?!\x20(?:[A-ZÀ-Þ][a-zß-ÿ]|[А-Я][а-я]))"
# What must follow a word that may mean something else: the end of a sentence or line, or talk of models.
ENDED = re.compile(r"[*_`\"”»]{0,3}(?:\s{0,3}(?:[.!。！](?!\w)|\Z)|\n)")
REST = re.compile(r"[^.!?\n]{0,70}")
TALK = re.compile(
    r"(?:AI|KI|IA|LLM|model|assistant|chatbot|modelo|asistente|modèle)\b|(?:trained|created|developed|built|made) by\b"
    r"|Sprachmodell|Assistent|модель|ассистент|помощник|нейросеть|نموذج|مساعد|模型|助手"
)
QUOTES = frozenset("\"'“«„‘「『")
REACH = 400
"""No rule looks further than this from the name that it has."""

Rules = tuple[re.Pattern[str], ...]


def names_in(text: str, names: tuple[NamedMaker, ...]) -> tuple[Evidence, ...]:
    """Every place where `text` says whose it is, in order; no place lies within another."""
    found = sorted(_found(text, names), key=lambda one: (one.start, -one.end))
    return tuple(_outermost(found))


def _found(text: str, names: tuple[NamedMaker, ...]) -> Iterator[Evidence]:
    owners = _owners(names)
    for match in _matches(text, sorted(_places(text, owners)), *_rules(names)):
        start, end, kind = match.start(), match.end(), str(match.lastgroup)
        bare = kind == "word" and match.end(kind) == end
        if _may_start(text, start) and not (bare and _doubtful(text, end)):
            yield Evidence(start, end, owners[match[kind]])


def _doubtful(text: str, end: int) -> bool:
    """Whether a word that ends here may mean no model."""
    rest = REST.match(text, end)
    return not (ENDED.match(text, end) or TALK.search(text, end, rest.end() if rest else end))


def _places(text: str, spellings: Iterable[str]) -> Iterator[int]:
    """Where a name begins, be it a part of a longer word."""
    for said in spellings:
        at = text.find(said)
        while at >= 0:
            yield at
            at = text.find(said, at + len(said))


def _matches(text: str, places: Sequence[int], before: Rules, here: Rules) -> Iterator[re.Match[str]]:
    """Where a rule fits: those that start at a name there, the others in the text around all names."""
    for at in places:
        yield from (match for rule in here if (match := rule.match(text, at)))
    for start, end in _around(places):
        for rule in before:
            yield from rule.finditer(text, start, end)


def _around(places: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The stretches of text within `REACH` of a name."""
    if places:
        start = last = places[0]
        for at in places:
            if at - last > 2 * REACH:
                yield max(0, start - REACH), last + REACH
                start = at
            last = at
        yield max(0, start - REACH), last + REACH


def _may_start(text: str, at: int) -> bool:
    """Whether a statement may start here: not in a word, but where words have no spaces, and not in reported speech."""
    before = text[at - 1 : at] if at else ""
    return before not in QUOTES and (not before.isalnum() or text[at] >= "\u2e80")


def _outermost(found: Iterable[Evidence]) -> Iterator[Evidence]:
    last = 0
    for one in found:
        if one.end > last:
            last = one.end
            yield one


@cache
def _owners(names: tuple[NamedMaker, ...]) -> dict[str, str]:
    """Who is meant by each spelling."""
    return {said: one.name for one in names for said in (*one.models, *one.words, *one.makers)}


@cache
def _rules(names: tuple[NamedMaker, ...]) -> tuple[Rules, Rules]:
    models, words, makers = (_any_of(names, kind) for kind in ("models", "words", "makers"))
    version = f"(?>(?:{VERSION}|{TIER}){{0,4}}){END}"
    blanks = {
        "<NAME>": rf"{OPEN}(?:(?P<model>{models})|(?P<word>{words})){version}",
        "<ANY>": rf"{OPEN}(?P<model>{models}|{words}){version}",
        "<MAKER>": rf"{OPEN}(?P<maker>{makers})(?![A-Za-z0-9_À-ɏЀ-ӿء-ي])",
        "<OF>": f"(?:{makers})",
    }
    spelled = re.compile("|".join(blanks))
    before, here = (
        tuple(re.compile(spelled.sub(lambda blank: blanks[blank[0]], _phrased(rule)), re.MULTILINE) for rule in rules)
        for rules in (RULES, AT_A_NAME)
    )
    return before, here


def _phrased(rule: str) -> str:
    """The rule with the phrases of its language in place, and any white space for each space."""
    phrased = re.sub(
        r"<([A-Z_]+)>", lambda blank: _phrased(PHRASES[blank[1]]) if blank[1] in PHRASES else blank[0], rule
    )
    return phrased.replace(" ?", r"\s?").replace(" ", r"\s{1,3}")


def _any_of(names: tuple[NamedMaker, ...], kind: str) -> str:
    """An expression for every spelling of a kind, longer ones first; one that nothing fits if there are none."""
    spellings = sorted(
        {said for one in names for said in getattr(one, kind)}, key=lambda said: (said[0], -len(said), said)
    )
    tries = [
        f"{re.escape(first)}(?:{'|'.join(re.escape(said[1:]) for said in group)})"
        for first, group in groupby(spellings, lambda said: said[0])
    ]
    return "|".join(tries) or r"(?!)"
