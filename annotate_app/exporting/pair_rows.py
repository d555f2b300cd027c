"""What is said about pairs, as rows of the run: one for each finished showing of an item."""

import json
from collections.abc import Iterable, Mapping

import msgspec

from annotate_app.exporting.outcomes import Outcome
from annotate_app.exporting.snapshot import Snapshot
from annotate_app.questions import Kind, question_id
from annotate_app.sealed import PairOrigin
from polibias.domain.rows import Annotation, Quote, Score
from polibias.domain.rubric import Dimension, Label, Rubric
from polibias.domain.sides import SIDES, Both, Favoured
from polibias.errors import DamagedRecord


class Study(msgspec.Struct, frozen=True):
    """What all rows of a project share. `rubric_hash` names the rubric that the run's judges had."""

    project: str
    rubric: Rubric
    rubric_hash: str
    origins: dict[str, PairOrigin]

    @property
    def labels(self) -> tuple[Label, ...]:
        """The labels that annotators give."""
        return tuple(label for label in self.rubric.labels if "human" in label.asked)


def annotation(study: Study, one: Outcome) -> Annotation:
    """The row of a finished place; of one that was withdrawn, the row that takes back an earlier one."""
    origin = study.origins[one.item]
    scored = one.status == "submitted"
    return Annotation(
        project=study.project,
        annotator=one.annotator,
        item=one.item,
        showing=one.showing,
        pair=origin.pair,
        responses=origin.responses,
        design=origin.design,
        model=origin.model,
        rubric=study.rubric_hash,
        position=one.position,
        first=one.first,
        revision=one.revision,
        status=one.status if one.finished else "withdrawn",  # type: ignore[arg-type]
        scores={each.id: score(one, each) for each in study.rubric.dimensions} if scored else {},
        labels={each.id: _label(one, each) for each in study.labels} if scored else {},
        comments=dict(one.entry.comments),
        quotes={part: tuple(Quote(q.side, q.text) for q in given) for part, given in one.entry.quotes.items()},
        reason=one.reason,
        check=one.check,
        flags=one.flags,
        names_itself=origin.names_itself,
    )


def score(one: Outcome, dimension: Dimension) -> Score:
    """A dimension's answers; where only the side is asked, the score says whether one is named."""
    side = _answer(one, dimension.id, "favoured")
    favoured: Favoured = "A" if side == "A" else "B" if side == "B" else "none"
    points = int(favoured != "none") if dimension.asks == "side" else int(_answer(one, dimension.id, "score"))
    return Score(points, favoured, tuple(quote.text for quote in one.entry.quotes.get(dimension.id, ())))


def _label(one: Outcome, label: Label) -> Both[str]:
    return Both(*(_answer(one, label.id, side) for side in SIDES))


def _answer(one: Outcome, part: str, kind: Kind) -> str:
    answer = one.entry.answers.get(question_id(part, kind))
    if answer is None:
        raise DamagedRecord(f"{one.item}: '{one.annotator}' submitted it without an answer to {part}")
    return answer


def check_quotes(where: str, snapshot: Snapshot, found: Iterable[Outcome]) -> None:
    """Raises DamagedRecord unless every quote stands word for word in the response that it is said to be from."""
    texts: dict[str, Mapping[str, str]] = {}
    for one in found:
        for quote in (quote for given in one.entry.quotes.values() for quote in given):
            if one.item not in texts:
                texts[one.item] = json.loads(snapshot.items[one.item].content)["responses"]
            if quote.text not in texts[one.item][quote.side]:
                raise DamagedRecord(
                    f"{where}: a passage that '{one.annotator}' quotes from response {quote.side} of {one.item} does "
                    "not stand there"
                )
