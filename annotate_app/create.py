"""Making a project from a sealed run: the blind database on one side, the sealed file on the other.

All or nothing: both are built beside their places and moved there at the end.
"""

import re
import secrets
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import msgspec
from sqlmodel import Session

from annotate_app import schema
from annotate_app.assignment import sample
from annotate_app.blind import check_wording, human_wording, questions
from annotate_app.chain import GENESIS, now, record
from annotate_app.schema import Choice, Item, Project, Question
from annotate_app.sealed import Sealed, SealedItem, item_code, reserve, sealed_path, stratum_code, write_sealed
from annotate_app.store import FILE, engine_for
from polibias.domain.ids import canonical, plain, tagged_hash
from polibias.domain.rows import PromptPair, Response
from polibias.domain.rubric import Rubric
from polibias.domain.sides import Both, Side
from polibias.domain.wording import JudgePrompt
from polibias.errors import InputError
from polibias.records.documents import read_document, storing
from polibias.records.ledger import Entry, read
from polibias.records.manifest import manifest_hash
from polibias.records.runs import Run
from polibias.records.verify import require_whole

NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
KIND = "blind pair scoring"
SEED_BITS = 31
KEY_BYTES = 32


class Candidate(NamedTuple):
    """One pair answered by one model, both sides with text."""

    pair_id: str
    pair: PromptPair
    model: str
    responses: Both[Entry[Response]]


class Origin(NamedTuple):
    """A run as far as a project needs it: `rubric` as annotators are asked, `scheme` the hash of the study's own."""

    run: Run
    manifest: str
    rubric: Rubric
    scheme: str
    candidates: list[Candidate]


class Created(NamedTuple):
    """What `create` made."""

    database: Path
    sealed: Path
    items: int
    seed: int


def create(run: Run, name: str, seed: int | None, limit: int | None, projects: Path, sealed: Path) -> Created:
    """Make project `name` from a sealed run. Raises InputError, with nothing left behind, if it cannot be made."""
    folder, sealed_file = projects / name, sealed_path(name, sealed)
    _check_free(name, folder, sealed_file)
    origin = read_origin(run)
    seed = secrets.randbits(SEED_BITS) if seed is None else seed
    chosen = _choose(origin, seed, limit)
    key = secrets.token_bytes(KEY_BYTES)
    reserve(sealed_file)
    try:
        with _beside(folder) as building:
            _write_database(building / FILE, name, origin.rubric, seed, key, chosen)
            write_sealed(sealed_file, _sealed(name, origin, seed, key, chosen))
            _move(building, folder)
    except BaseException:
        sealed_file.unlink(missing_ok=True)
        raise
    return Created(folder / FILE, sealed_file, len(chosen), seed)


@contextmanager
def _beside(folder: Path) -> Iterator[Path]:
    """A private folder beside `folder` to build in; gone at the end unless it was moved."""
    with storing(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        building = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        yield building
    finally:
        shutil.rmtree(building, ignore_errors=True)


def _move(building: Path, folder: Path) -> None:
    with storing(folder):
        building.rename(folder)


def _check_free(name: str, folder: Path, sealed_file: Path) -> None:
    if not NAME.fullmatch(name):
        raise InputError(
            f"--project {name!a}: use up to 64 lower-case letters, digits and . _ -, a letter or digit first"
        )
    for path in (folder, sealed_file):
        if path.exists():
            raise InputError(f"{path}: there already; choose another name with --project")


def read_origin(run: Run) -> Origin:
    """The run's rubric and everything in it that can be annotated. Raises InputError unless it is sealed and whole."""
    if not run.sealed:
        raise InputError(f"{run.folder}: not sealed yet; finish it with: polibias run STUDY")
    require_whole(run)
    rubric = human_rubric(run)
    check_wording(rubric)
    candidates = list(_candidates(run))
    if not candidates:
        raise InputError(f"{run.folder}: no pair has two responses with text, so there is nothing to annotate")
    return Origin(run, manifest_hash(run.folder), rubric, rubric_hash(run), candidates)


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


def _candidates(run: Run) -> Iterator[Candidate]:
    pairs = {entry.id: entry.row for entry in read(run.pairs())}
    for stream in run.streams():
        if stream.type is not Response:
            continue
        found = last_answers(read(stream))
        for pair_id, pair in pairs.items():
            a, b = found.get((pair_id, "A")), found.get((pair_id, "B"))
            if a and b and a.row.text.strip() and b.row.text.strip():
                yield Candidate(pair_id, pair, a.row.model, Both(a, b))


def last_answers(entries: Iterable[Entry[Response]]) -> dict[tuple[str, Side], Entry[Response]]:
    """For each side of each pair, the last row in which the model was reached."""
    return {(entry.row.pair, entry.row.side): entry for entry in entries if entry.row.answered}


def _choose(origin: Origin, seed: int, limit: int | None) -> list[Candidate]:
    by_name = {tagged_hash("candidate/1", [item.pair_id, item.model]): item for item in origin.candidates}
    names = sample(seed, by_name, len(by_name) if limit is None else limit)
    return [by_name[name] for name in names]


def _sealed(name: str, origin: Origin, seed: int, key: bytes, chosen: list[Candidate]) -> Sealed:
    items = {
        item_code(key, item.pair_id, item.model): SealedItem(
            item.pair_id, item.model, Both(item.responses.A.id, item.responses.B.id), item.pair.design
        )
        for item in chosen
    }
    return Sealed(
        project=name,
        run=origin.run.folder.resolve().name,
        manifest=origin.manifest,
        rubric=origin.scheme,
        seed=seed,
        key=key.hex(),
        items=items,
    )


def _write_database(path: Path, name: str, rubric: Rubric, seed: int, key: bytes, chosen: list[Candidate]) -> None:
    """The blind half. Rows go in by code, so that not even their order tells where they come from."""
    items = sorted((_item(key, item) for item in chosen), key=_code)
    engine = engine_for(path)
    with engine.execution_options(immediate=True).begin() as connection:
        schema.create_tables(connection)
        with Session(bind=connection) as session:
            session.add(_project(name, rubric, seed))
            _add_questions(session, rubric)
            session.add_all(items)
            session.flush()
            record(session, GENESIS, "created", "", "", {"items": len(items), "seed": seed})
            session.commit()
    engine.dispose()
    path.chmod(0o600)


def _add_questions(session: Session, rubric: Rubric) -> None:
    """What is asked and what can be answered; the database knows nothing else of the rubric."""
    for question in questions(rubric):
        session.add(Question.model_validate({"id": question.id}))
        session.flush()
        choices = [{"question_id": question.id, "value": value} for value in question.values]
        session.add_all(map(Choice.model_validate, choices))


def _code(item: Item) -> str:
    return item.code


def _project(name: str, rubric: Rubric, seed: int) -> Project:
    text = canonical(plain(rubric)).decode("ascii")
    fields = {"name": name, "kind": KIND, "rubric": text, "seed": seed, "genesis": GENESIS, "created_at": now()}
    return Project.model_validate(fields)


def _item(key: bytes, item: Candidate) -> Item:
    texts = {
        "acting": item.pair.acting,
        "facing": item.pair.facing,
        "prompts": item.pair.seen,
        "responses": Both(item.responses.A.row.text, item.responses.B.row.text),
    }
    fields = {
        "code": item_code(key, item.pair_id, item.model),
        "stratum": stratum_code(key, item.pair.design.block),
        "content": canonical(plain(texts)).decode("ascii"),
    }
    return Item.model_validate(fields)
