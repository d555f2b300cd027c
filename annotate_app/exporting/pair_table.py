"""What is said about pairs, as a table: one line per score and per rated response of every place of the study."""

from collections.abc import Iterable, Iterator, Sequence

from annotate_app.exporting.cells import ESCAPED, Column, Line, Value, held
from annotate_app.exporting.outcomes import Outcome
from annotate_app.exporting.pair_rows import Study, score
from annotate_app.questions import question_id
from polibias.domain.ids import canonical, plain
from polibias.domain.sides import SIDES

UNIT_DIGITS = 12

COLUMNS = (
    Column("project", "text", "the annotation project"),
    Column("annotator", "text", "the name or alias that the annotator was invited by"),
    Column("item", "text", "the opaque code of one pair as answered by one model"),
    Column(
        "unit",
        "text",
        "what is rated: pair, model and dimension; a label also names the version; in the table of repeats the "
        "annotator too",
    ),
    Column("pair", "text", "the id of the pair in the run"),
    Column("model", "text", "the model that wrote the responses"),
    Column("dimension", "text", "the dimension that was scored, or the label that was given"),
    Column("side", "text", "the version whose response a label is about; empty for a dimension"),
    Column("showing", "text", "first, or repeat where the item came back with the versions exchanged"),
    Column("status", "text", "what became of this place; see below"),
    Column("score", "whole", "the score, or the place from 1 of an ascending label; empty unless submitted"),
    Column("favoured", "text", "the version that comes out better: A, B or none; empty unless submitted"),
    Column("option", "text", "the id of the option that was given as a label; empty unless submitted"),
    Column("reason", "text", "why the item was skipped or left as unsure"),
    Column("comment", "text", "the annotator's comment on this dimension or label"),
    Column("quotes", "text", "passages given as evidence, as a JSON list of side and text"),
    Column("item_comment", "text", "the annotator's comment on the whole item"),
    Column("item_quotes", "text", "passages quoted for the whole item, as in quotes"),
    Column("flags", "text", "what the annotator reported about the item, as a JSON list of reason and comment"),
    Column("check", "text", "passed or failed where the item carried an instructed response that was answered"),
    Column("names_itself", "text", "the words with which a response gives its model away"),
    Column("first", "text", "the version shown first, on the left"),
    Column("position", "whole", "the place in the annotator's row, from 1, practice included"),
    Column("revision", "whole", "how often it was finished; 0 for never"),
    Column("at", "time", "when it was finished last, or withdrawn (UTC)"),
    Column("active_seconds", "real", "seconds with the item before the annotator, time away apart"),
    Column("wall_seconds", "real", "seconds on the clock from first sight to the last finish"),
    Column("template", "text", "the template of the pair, the cluster of the main analysis"),
    Column("topic", "text", "what the pair is about"),
    Column("category", "text", "the category of the template"),
    Column("topic_category", "text", "the category of the topic"),
    Column("block", "text", "the block of the design"),
    Column("task", "text", "the task that the prompts set"),
    Column("condition", "text", "the condition of the design"),
    Column("roles", "text", "whether the versions exchange who acts"),
    Column("tags", "text", "tags of the template, separated by spaces"),
    Column(ESCAPED, "text", "columns whose text stands as a JSON string; see Cells"),
)
NAMES = tuple(column.name for column in COLUMNS)
OF_A_PART = ("side", "favoured", "option")
"""Columns of text that are empty where a line has nothing to say in them."""
PLACES = {name: place for place, name in enumerate(NAMES)}


def lines(study: Study, found: Iterable[Outcome], by_annotator: bool = False) -> Iterator[Line]:
    """The lines of these places, as many for each as there are dimensions and rated responses.

    With `by_annotator` a unit is one annotator's, so that it has two showings instead of many raters.
    """
    for one in found:
        about, unit = _about(study, one), _unit(study, one, by_annotator)
        whole = [about.get(name) for name in NAMES]
        for own in _parts(study, one):
            part = str(own["dimension"])
            own["unit"] = ":".join(filter(None, (unit, part, str(own.get("side", "")))))
            yield _line(whole, own | _notes(one, part))


def repeated(found: Sequence[Outcome]) -> list[Outcome]:
    """Both showings of every item that came back."""
    twice = {(one.annotator, one.item) for one in found if one.showing == "repeat"}
    return [one for one in found if (one.annotator, one.item) in twice]


def _unit(study: Study, one: Outcome, by_annotator: bool) -> str:
    origin = study.origins[one.item]
    return ":".join((origin.pair[:UNIT_DIGITS], origin.model, *([one.annotator] if by_annotator else ())))


def _line(whole: Sequence[Value], own: dict[str, Value]) -> Line:
    """What all lines of a place say, with what is this line's own; what had to be escaped is named of both."""
    line, before = list(whole), whole[PLACES[ESCAPED]]
    for name, value in held(own).items():
        line[PLACES[name]] = value
    line[PLACES[ESCAPED]] = " ".join(filter(None, (str(before), str(line[PLACES[ESCAPED]]))))
    return line


def _about(study: Study, one: Outcome) -> dict[str, Value]:
    """What all lines of one place say."""
    origin = study.origins[one.item]
    design = origin.design
    taken = one.spent
    return held(
        {
            "project": study.project,
            "annotator": one.annotator,
            "item": one.item,
            "pair": origin.pair,
            "model": origin.model,
            "showing": one.showing,
            "status": one.status,
            "reason": one.reason,
            "item_comment": one.entry.comments.get("", ""),
            "item_quotes": _quotes(one, ""),
            "flags": _json(one.flags),
            "check": one.check,
            "names_itself": "; ".join(origin.names_itself),
            "first": one.first,
            "position": one.position,
            "revision": one.revision if one.finished else 0,
            "at": one.at,
            "active_seconds": round(taken.active, 3) if taken else None,
            "wall_seconds": round(taken.wall, 3) if taken else None,
            **dict.fromkeys(OF_A_PART, ""),
            **plain(design),
            "tags": " ".join(design.tags),
        }
    )


def _notes(one: Outcome, part: str) -> dict[str, Value]:
    return {"comment": one.entry.comments.get(part, ""), "quotes": _quotes(one, part)}


def _quotes(one: Outcome, part: str) -> str:
    return _json(one.entry.quotes.get(part, ()))


def _json(values: Sequence[object]) -> str:
    """A list as JSON in ASCII, which every file can hold; '' for an empty one."""
    return canonical(plain(values)).decode("ascii") if values else ""


def _parts(study: Study, one: Outcome) -> Iterator[dict[str, Value]]:
    """What each line of a place says for itself.

    A dimension that asks for the side alone has no score to compare: who is named is the answer.
    """
    scored = one.status == "submitted"
    for dimension in study.rubric.dimensions:
        given = score(one, dimension) if scored else None
        points = given.score if given and dimension.asks == "score" else None
        yield {"dimension": dimension.id, "score": points, "favoured": given.favoured if given else ""}
    for label in study.labels:
        for side in SIDES:
            option = one.entry.answers.get(question_id(label.id, side)) if scored else None
            points = label.rating(option) if option and label.ordinal else None
            yield {"dimension": label.id, "side": side, "score": points, "option": option or ""}
