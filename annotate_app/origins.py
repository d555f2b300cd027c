"""Where a project's items come from: a sealed run, read and checked before anything is made."""

from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

import msgspec

from annotate_app.blind import check_wording, human_wording
from annotate_app.questions import AnyScheme, Scoring
from annotate_app.sealed import AnyOrigin, PairOrigin
from annotate_app.self_naming import ModelNames, NamedMaker, names_in
from polibias.domain.ids import plain, tagged_hash
from polibias.domain.rows import PromptPair, Response
from polibias.domain.rubric import Rubric
from polibias.domain.sides import Both, Side
from polibias.domain.wording import JudgePrompt
from polibias.errors import InputError
from polibias.records.documents import read_document
from polibias.records.ledger import Entry, read
from polibias.records.manifest import manifest_hash
from polibias.records.runs import Run
from polibias.records.verify import require_whole
from polibias.sources.files import data_folder, read_toml


class Material(NamedTuple):
    """One item to be: what annotators see of it, the stratum its first sides are balanced in, and where it is from."""

    texts: dict[str, Both[str]]
    block: str
    origin: AnyOrigin


class Source(NamedTuple):
    """All that a project can be made of. `manifest` names the run or file, `rubric` the scheme it was judged by."""

    name: str
    manifest: str
    scheme: AnyScheme
    rubric: str
    materials: list[Material]


def read_run(run: Run) -> Source:
    """Everything in a run that can be annotated. Raises InputError unless it is sealed and whole."""
    if not run.sealed:
        raise InputError(f"{run.folder}: not sealed yet; finish it with: polibias run STUDY")
    require_whole(run)
    rubric = human_rubric(run)
    check_wording(rubric)
    found = list(_materials(run))
    if not found:
        raise InputError(f"{run.folder}: no pair has two responses with text, so there is nothing to annotate")
    return Source(run.folder.resolve().name, manifest_hash(run.folder), Scoring(rubric), rubric_hash(run), found)


def rubric_hash(run: Run) -> str:
    """The content hash of the rubric that a run was judged by."""
    return tagged_hash("rubric/1", _judged_by(run)[0])


def human_rubric(run: Run) -> Rubric:
    """The run's rubric as annotators are asked: in human wording, with form and favoured side of its judge task.

    Annotators always answer the rubric's own dimensions. Raises InputError if the run's conditions ask in several ways.
    """
    rubric, tasks = _judged_by(run)
    asked: dict[Rubric, str] = {}
    for condition in dict.fromkeys(entry.row.design.condition for entry in read(run.pairs())):
        task = tasks.get(condition)
        rule, form = (task and task.favoured) or rubric.favoured, (task and task.form) or rubric.form
        asked.setdefault(human_wording(msgspec.structs.replace(rubric, favoured=rule, form=form)), condition)
    if len(asked) > 1:
        first, second, *_ = asked.values()
        raise InputError(
            f"{run.folder}: condition '{second}' asks who is favoured in another way than '{first}'; "
            "run a study of each condition and annotate them apart"
        )
    return next(iter(asked), human_wording(rubric))


def _judged_by(run: Run) -> tuple[Rubric, dict[str, JudgePrompt]]:
    """A run's rubric and the judge task of each condition. Raises InputError if its study holds no rubric."""
    try:
        study = read_document(run.study)
        tasks = msgspec.convert(study.get("judge_prompts", {}), type=dict[str, JudgePrompt])
        return msgspec.convert(study["rubric"], type=Rubric), tasks
    except (msgspec.ValidationError, AttributeError, KeyError):
        raise InputError(f"{run.study}: holds no rubric; run the study again with this version") from None


def _materials(run: Run) -> Iterator[Material]:
    pairs = {entry.id: entry.row for entry in read(run.pairs())}
    for stream in run.streams():
        if stream.type is not Response:
            continue
        found = last_answers(read(stream))
        for pair_id, pair in pairs.items():
            a, b = found.get((pair_id, "A")), found.get((pair_id, "B"))
            if a and b and a.row.text.strip() and b.row.text.strip():
                yield _material(pair_id, pair, Both(a, b))


def last_answers(entries: Iterable[Entry[Response]]) -> dict[tuple[str, Side], Entry[Response]]:
    """For each side of each pair, the last row in which the model was reached."""
    return {(entry.row.pair, entry.row.side): entry for entry in entries if entry.row.answered}


def _material(pair_id: str, pair: PromptPair, found: Both[Entry[Response]]) -> Material:
    texts = Both(found.A.row.text, found.B.row.text)
    own = tuple(sorted({hit.name for text in (texts.A, texts.B) for hit in names_in(text, model_names())}))
    seen = {"acting": pair.acting, "facing": pair.facing, "prompts": pair.seen, "responses": texts}
    origin = PairOrigin(pair_id, found.A.row.model, Both(found.A.id, found.B.id), pair.design, own)
    return Material(seen, pair.design.block, origin)


@cache
def model_names() -> tuple[NamedMaker, ...]:
    """The names of models and their makers, by which a response can give itself away."""
    return read_toml(data_folder() / "model-names.toml", ModelNames).names


def texts_of(material: Material) -> dict[str, object]:
    """The item's texts as plain JSON."""
    texts: dict[str, object] = plain(material.texts)
    return texts
