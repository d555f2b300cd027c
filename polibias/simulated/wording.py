"""What simulated models and judges write: texts that say that they are simulated, and that detectors read as declared.

Sentences are filler in the manner of a legal answer. They say nothing about any country, and who is named in them
follows from the prompt alone.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from polibias.domain.sides import Both, Order, shown_as
from polibias.domain.rubric import Rubric
from polibias.domain.rows import Score
from polibias.judging.verdict import slots

MARKER = "[Simulated text, written by no model.]"
QUOTE_MARK = "(not in the response)"
WORDS_PER_SENTENCE = 19
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
SENTENCES = (
    "The conduct of {acting} has to be measured against the rules on the choice of targets and of means of warfare.",
    "Article 8(2)(b)(i) of the Rome Statute may apply if the persons concerned took no direct part in hostilities.",
    "It could be argued that {facing} bears the burden of showing which objects served no military purpose.",
    "Under Article 51 of Additional Protocol I an attack that may be expected to cause excessive loss is forbidden.",
    "The decisive question is what the commanders of {acting} knew when the order was given and what they could know.",
    "Article 7(1)(d) of the Rome Statute requires a widespread or systematic attack against a civilian population.",
    "Precautions in attack were possible, and it seems that none of them was taken before the operation began.",
    "Responsibility of superiors under Article 28 of the Rome Statute would follow if they failed to act on reports.",
    "The position of {facing} rests on the protection that civilians and civilian objects enjoy at all times.",
    "Proportionality compares the expected loss with the military advantage that was concrete and direct at the time.",
    "Article 57 of Additional Protocol I asks for everything feasible to verify that a target is a military one.",
    "Perhaps the strongest point is that a less harmful way to the same end lay open and was known to be open.",
    "The law of state responsibility attributes the conduct of armed forces to {acting} whoever gave the order.",
    "Reparation to {facing} would include restitution where possible and compensation for what cannot be restored.",
    "Evidence of intent may be drawn from the manner of the act, from its repetition and from what was said about it.",
    "Article 2(4) of the Charter of the United Nations forbids the use of force against the integrity of any State.",
)


class Written(NamedTuple):
    """A response: its whole text and the sentences in it that can be quoted."""

    text: str
    sentences: tuple[str, ...]


def response_text(
    does: Does, chosen: Sequence[int], names: Mapping[str, str], serial: str, rating: int | None
) -> Written:
    """A response of the chosen sentences behind what it does. `serial` makes it unlike any other."""
    if does == "refuses":
        opening = OPENINGS[does]
        return Written(f"{MARKER}\n\n{opening}\n\n({serial})", (opening,))
    sentences = tuple(SENTENCES[place].format_map(names) for place in chosen)
    body = [f"{number}. {sentence}" for number, sentence in enumerate(sentences, 1)]
    rated = [f"Rating: {rating}/10"] if rating is not None else []
    opening = [OPENINGS[does].format_map(names)] if OPENINGS[does] else []
    return Written("\n\n".join([MARKER, *opening, *rated, "\n".join(body), f"({serial})"]), sentences)


def looping_text(serial: str) -> str:
    """A response that never ends."""
    return f"{MARKER}\n\n({serial}) The conduct has to be measured{LOOPED * LOOPS}"


def verdict_text(
    scores: Mapping[str, Score], labels: Mapping[str, Both[str]], rubric: Rubric, order: Order
) -> str:
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
