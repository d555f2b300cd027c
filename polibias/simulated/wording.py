"""What simulated models and judges write: texts that say that they are simulated, and that detectors read as declared.

Sentences are filler in the manner of a legal answer, put together at random. They say nothing about any country, and
who is named in them follows from the prompt alone.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from polibias.domain.rows import Score
from polibias.domain.rubric import Rubric
from polibias.domain.sides import Both, Order, shown_as
from polibias.judging.verdict import slots

MARKER = "[Simulated text, written by no model.]"
QUOTE_MARK = "(not in the response)"
WORDS_PER_SENTENCE = 28
INVALID = "Simulated reply without a verdict."
LOOPED = " and again"
LOOPS = 400

Does = Literal["answers", "refuses", "refuses_partly", "rejects_facts", "rejects_status"]
OPENINGS: dict[Does, str] = {
    "answers": "",
    "refuses": "I'm sorry, but I can't help with that.",
    "refuses_partly": "I cannot defend these actions, but I can set out the law that applies.",
    "rejects_facts": "At the outset it must be said that no such attack took place.",
    "rejects_status": "At the outset it must be said that {contested}'s statehood is contested.",
}
OPENERS = (
    "The conduct of {acting} has to be measured against",
    "Whoever speaks for {facing} will point first to",
    "It could be argued that nothing turns on",
    "A tribunal would begin its reasoning with",
    "On the facts as they are told, much depends on",
    "What the commanders knew bears directly upon",
    "Nothing in the account removes the need to weigh",
    "The files of the operation may shed light on",
    "Perhaps the hardest part of the case is",
    "Scholars would disagree about the weight of",
    "The armed forces of {acting} were bound by",
    "Reparation owed to {facing} presupposes a finding on",
    "Before any sentence is passed, judges examine",
    "No order from above sets aside",
    "An independent inquiry should establish",
    "The second paragraph of the story raises",
)
RULES = (
    "the choice of targets under Article 48 of Additional Protocol I,",
    "the gravity threshold in Article 17(1)(d) of the Rome Statute,",
    "an attack on civilians within Article 8(2)(b)(i) of the Rome Statute,",
    "the duty to take precautions that Article 57 of Additional Protocol I lays down,",
    "excessive loss in the sense of Article 51(5)(b) of Additional Protocol I,",
    "the forbidden use of force in Article 2(4) of the Charter of the United Nations,",
    "the widespread or systematic attack that Article 7(1) of the Rome Statute requires,",
    "responsibility of superiors as Article 28 of the Rome Statute describes it,",
    "protected persons and Article 27 of the Fourth Geneva Convention,",
    "intent and knowledge as Article 30 of the Rome Statute defines both,",
    "military necessity, a notion that customary law keeps narrow,",
    "attribution of what organs do to the State they serve,",
    "the protection that hospitals, schools and homes enjoy,",
    "warnings that were possible and seem not to have been given,",
    "the means of warfare and how carefully they were picked,",
    "the plea of self-defence with its limits of need and measure,",
)
CLOSERS = (
    "and the record leaves room for doubt.",
    "whatever the political background may have been.",
    "because no lawful aim explains the scale of harm.",
    "unless later evidence shows another purpose.",
    "as long as the dates in the file are right.",
    "which a prosecutor would have to prove in full.",
    "so that a civil claim remains open as well.",
    "though witnesses could tell it another way.",
    "and here the wording of the treaty is plain.",
    "since every neighbour is held to equal duties.",
    "yet mitigation is a matter for sentencing.",
    "if the town was not defended at that hour.",
    "even where an adversary broke rules before.",
    "once the chain of command has been traced.",
    "provided that experts confirm the damage.",
    "and this holds for either party alike.",
)
SENTENCES = len(OPENERS) * len(RULES) * len(CLOSERS)
"""How many sentences there are: so many that a long response repeats few of them, as a loop would."""


class Written(NamedTuple):
    """A response: its whole text and the sentences in it that can be quoted."""

    text: str
    sentences: tuple[str, ...]


def response_text(
    does: Does, chosen: Sequence[int], names: Mapping[str, str], serial: str, rating: int | None
) -> Written:
    """A response of the chosen sentences behind what it does. `serial` makes it unlike any other."""
    if does == "refuses":
        return Written(f"{MARKER}\n\n{OPENINGS[does]}\n\n({serial})", (OPENINGS[does],))
    sentences = tuple(_sentence(place).format_map(names) for place in chosen)
    body = [f"{number}. {sentence}" for number, sentence in enumerate(sentences, 1)]
    rated = [f"Rating: {rating}/10"] if rating is not None else []
    opening = [OPENINGS[does].format_map(names)] if OPENINGS[does] else []
    return Written("\n\n".join([MARKER, *opening, *rated, "\n".join(body), f"({serial})"]), sentences)


def _sentence(place: int) -> str:
    """One of `SENTENCES`."""
    first, rest = divmod(place, len(RULES) * len(CLOSERS))
    rule, end = divmod(rest, len(CLOSERS))
    return f"{OPENERS[first]} {RULES[rule]} {CLOSERS[end]}"


def looping_text(serial: str) -> str:
    """A response that never ends."""
    return f"{MARKER}\n\n({serial}) The conduct has to be measured{LOOPED * LOOPS}"


def verdict_text(scores: Mapping[str, Score], labels: Mapping[str, Both[str]], rubric: Rubric, order: Order) -> str:
    """A verdict as a judge writes it who saw the responses in this order; each score has a quote from either."""
    words = {meaning: word for word, meaning in slots(rubric).items()}
    dimensions = {
        name: {
            **{f"quote_{number}": quote for number, quote in enumerate(one.evidence, 1)},
            "score": one.score,
            "favoured": words[shown_as(one.favoured, order)],
        }
        for name, one in scores.items()
    }
    shown = [{name: both.in_order(order)[place] for name, both in labels.items()} for place in (0, 1)]
    return json.dumps({**dimensions, "response_1": shown[0], "response_2": shown[1]}, ensure_ascii=False)


def quote(written: Written, place: int, found: bool, longest: int) -> str:
    """A sentence of a response, or one like it that does not stand there."""
    sentence = written.sentences[place % len(written.sentences)]
    return sentence[:longest] if found else f"{sentence[: longest - len(QUOTE_MARK) - 1]} {QUOTE_MARK}"
