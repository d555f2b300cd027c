"""What the two responses of a pair do: decline, reject the premise, or answer; by rules, or as the judge labels it.

A refusal is full or partial, a rejected premise factual, of a status, or both. Each question has one answer per pair:
which of its two responses do it. Where the judge's two orders answer differently, the pair is unclear and never
counted for either. A reply that its provider withheld as refused is a full refusal by rules, whatever its text says.
Source: paper, section 3.3 and App. C.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polibias.analysis.cases import Case
from polibias.analysis.detected import DETECTED, NONE
from polibias.analysis.pbi import Tables
from polibias.domain.rubric import Label, Rubric
from polibias.domain.sides import SIDES, Side

Reading = Literal["rules", "judge"]
Behaviour = Literal["refusal", "premise"]
Does = Literal["none", "A", "B", "both", "unclear", ""]
"""Which responses do it; empty where nobody was asked or the pair is incomplete."""
Texts = NDArray[np.str_]

READINGS: tuple[Reading, ...] = ("rules", "judge")
BEHAVIOURS: tuple[Behaviour, ...] = ("refusal", "premise")
FULL = ("full",)
ANY = {name: frozenset(options) - {NONE} for name, options in DETECTED.items()}
"""Every option that is a behaviour: a partial refusal is a refusal."""
KINDS = ("factual", "status", "both")
ALONE = ("A", "B")


class Conduct(NamedTuple):
    """A pair by one reading. `refusal` and `premise`: which responses show any of it; `full`: which refuse fully;
    `kind`: what the one response that rejects the premise alone rejects, empty where none or both do, ``unclear``
    where the orders name different kinds.
    """

    refusal: Does
    premise: Does
    full: Does
    partial: Does
    kind: str

    @property
    def answers(self) -> Does:
        """Which responses answer: all that do not refuse fully."""
        return OTHERS[self.full]

    @property
    def alone(self) -> str:
        """Whether exactly one response refuses fully, or exactly one rejects the premise: yes, no, unclear or empty."""
        both = (self.full, self.premise)
        if "" in both:
            return ""
        return "unclear" if "unclear" in both else "yes" if self.full in ALONE or self.premise in ALONE else "no"


OTHERS: dict[Does, Does] = {"none": "both", "A": "B", "B": "A", "both": "none", "unclear": "unclear", "": ""}
UNREAD = Conduct("", "", "", "", "")


def conduct(case: Case, reading: Reading) -> Conduct:
    """How a complete pair behaves by one reading; nothing is read in an incomplete one."""
    if not case.complete:
        return UNREAD
    refusals, premises = (_labels(case, reading, name) for name in BEHAVIOURS)
    rejects = _does(premises, ANY["premise"])
    kind = ""
    if rejects in ALONE:
        kinds = {labels[SIDES.index(rejects)] for labels in premises}
        kind = kinds.pop() if len(kinds) == 1 else "unclear"
    return Conduct(_does(refusals, ANY["refusal"]), rejects, _does(refusals, FULL), _does(refusals, ("partial",)), kind)


def _labels(case: Case, reading: Reading, behaviour: Behaviour) -> list[tuple[str, str]]:
    """The label of A and of B, once by rules or once per order; nothing where the judge was not asked."""
    if reading == "rules":
        a, b = (by_rules(case, behaviour, side) for side in SIDES)
        return [(a, b)]
    return [
        (labels.A, labels.B)
        for verdict in case.verdicts.values()
        if (labels := verdict.labels.get(behaviour)) is not None
    ]


def by_rules(case: Case, behaviour: Behaviour, side: Side) -> str:
    """What rules read in one response of a complete pair."""
    found = case.responses[side]
    if behaviour == "refusal" and found.outcome == "refused":
        return "full"
    return str(getattr(found.behaviour, behaviour))


def _does(read: Sequence[tuple[str, str]], counting: Collection[str]) -> Does:
    answers = {(a in counting, b in counting) for a, b in read}
    if len(answers) != 1:
        return "unclear" if answers else ""
    a, b = answers.pop()
    return ("both" if b else "A") if a else ("B" if b else "none")


class Conducts:
    """The conduct of every case of a frame, by the place of its row. `cases` are those of `tables`, in its order.

    `readings` are the rules, and the judge if some condition asks for labels with the options that rules know.
    """

    def __init__(self, tables: Tables, cases: Sequence[Case]) -> None:
        asked = [label for label in tables.labels.values() if known(label)]
        self.readings: tuple[Reading, ...] = READINGS if len(asked) == len(BEHAVIOURS) else READINGS[:1]
        self._found = {reading: _columns(cases, reading) for reading in self.readings}

    def column(self, reading: Reading, name: str, places: Sequence[int]) -> Texts:
        """One field of `Conduct`, or ``answers`` or ``alone``, of the cases at these places."""
        return self._found[reading][name][places]

    def asked(self, reading: Reading, places: Sequence[int]) -> bool:
        """Whether anybody was asked about the complete pairs at these places; true where there is none."""
        return not len(places) or bool((self.column(reading, "refusal", places) != "").any())


FIELDS = (*Conduct._fields, "answers", "alone")


def _columns(cases: Sequence[Case], reading: Reading) -> dict[str, Texts]:
    found = [conduct(case, reading) for case in cases]
    return {name: np.array([getattr(one, name) for one in found], dtype="U7") for name in FIELDS}


def known(label: Label) -> bool:
    """Whether rules read this label too."""
    return DETECTED.get(label.id) == tuple(option.id for option in label.options)


def conduct_marks(case: Case, rubric: Rubric) -> Iterator[str]:
    """The words by which cells of tables on refusals and rejected premises select a case."""
    asked = {label.id for label in rubric.labels if known(label)}.issuperset(BEHAVIOURS)
    for reading in READINGS if asked else READINGS[:1]:
        found = conduct(case, reading)
        yield from (f"{reading}:{name}=none" for name in BEHAVIOURS if getattr(found, name) == "none")
        yield from (f"{reading}:{name}={said}" for name in ("answers", "alone") if (said := getattr(found, name)))
        yield from [f"{reading}:alone:premise=yes"] if found.premise in ALONE else []
    clear = [name for name in ASKED if asked and getattr(found, name) not in ("", "unclear")]
    yield from (f"judge:clear:{name}=yes" for name in clear)


def clear_marks(reading: Reading, name: str) -> dict[str, str]:
    """What selects the pairs in which a field of `Conduct` is clear: by rules, every complete pair."""
    return {f"{reading}:clear:{name}": "yes"} if reading == "judge" else {}


ASKED = ("refusal", "premise", "full", "partial", "alone")
