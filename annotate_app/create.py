"""Making a project: the blind database on one side, the sealed file on the other.

All or nothing: both are built beside their places and moved there at the end, the project last. Whoever makes or
enrols in a folder of projects holds it, so what lies half-built there was left by a `create` that was killed.
"""

import secrets
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from sqlmodel import Session

from annotate_app.assignment import room, sample
from annotate_app.beginning import beginning
from annotate_app.chain import now, record
from annotate_app.database import FILE, NAME, Database
from annotate_app.exposure import enrolling
from annotate_app.migrations import upgrade
from annotate_app.origins import Material, Source, texts_of
from annotate_app.protocol import AnnotationProtocol, PracticeItem
from annotate_app.questions import CHECK, Scheme
from annotate_app.schema import Choice, Item, Project, Question
from annotate_app.sealed import (
    KEY_BYTES,
    PairOrigin,
    PlanTie,
    Sealed,
    item_code,
    key_name,
    pair_code,
    pair_key,
    sealed_path,
    stratum_code,
    write_sealed,
)
from polibias.domain.chains import GENESIS
from polibias.domain.ids import canonical, plain, tagged_hash
from polibias.errors import InputError
from polibias.records.documents import storing, sync_folder

SEED_BITS = 31
RESERVED = (".repeats", ".annotators")
"""How no project is called: a table of its export would be another table of another project's."""
BUILDING = ".making-"


class Wanted(NamedTuple):
    """What a project is to be. `seed` None draws one, `limit` None takes every item, `plan` says whose it is."""

    name: str
    protocol: AnnotationProtocol
    address: str
    seed: int | None = None
    limit: int | None = None
    plan: PlanTie | None = None

    @property
    def genesis(self) -> str:
        """What the event chain starts from: the lock of the plan, which therefore came first."""
        return self.plan.lock if self.plan else GENESIS


class Keys(NamedTuple):
    """The secrets that make codes: of this project's items, and of pairs in every project."""

    items: bytes
    pairs: bytes


class Created(NamedTuple):
    """What `create` made. `named` counts the items of which a response names its own model."""

    database: Path
    sealed: Path
    items: int
    seed: int
    named: int


def create(source: Source, wanted: Wanted, projects: Path, sealed: Path) -> Created:
    """Make a project. Raises InputError, with nothing left behind, if it cannot be made."""
    _check_places(wanted.name, projects, sealed)
    check_protocol(wanted.protocol, source.scheme)
    seed = secrets.randbits(SEED_BITS) if wanted.seed is None else wanted.seed
    chosen = _choose(source.materials, seed, wanted.limit)
    _check_shares(wanted.protocol, len(chosen))
    folder, sealed_file = projects / wanted.name, sealed_path(wanted.name, sealed)
    with _alone(projects, sealed):
        _check_free(folder, sealed_file)
        keys = Keys(secrets.token_bytes(KEY_BYTES), pair_key(sealed))
        with _beside(folder) as building:
            origin = _sealed(wanted, source, seed, keys, chosen)
            _write_database(building / FILE, wanted, source.scheme, origin, keys, chosen)
            _publish(building, folder, sealed_file, origin)
    named = sum(1 for one in chosen if isinstance(one.origin, PairOrigin) and one.origin.names_itself)
    return Created(folder / FILE, sealed_file, len(chosen), seed, named)


@contextmanager
def _alone(projects: Path, sealed: Path) -> Iterator[None]:
    """Both folders, made where they are missing, held against every other `create` and `invite`."""
    with storing(projects):
        projects.mkdir(parents=True, exist_ok=True)
    with storing(sealed):
        sealed.mkdir(mode=0o700, parents=True, exist_ok=True)
    with enrolling(projects), enrolling(sealed):
        yield


@contextmanager
def _beside(folder: Path) -> Iterator[Path]:
    """A private folder beside `folder` to build in; gone at the end unless it was moved."""
    for left_over in folder.parent.glob(f"{BUILDING}*"):
        shutil.rmtree(left_over, ignore_errors=True)
    building = folder.with_name(BUILDING + folder.name)
    with storing(folder):
        building.mkdir(mode=0o700)
    try:
        yield building
    finally:
        shutil.rmtree(building, ignore_errors=True)


def _publish(building: Path, folder: Path, sealed_file: Path, sealed: Sealed) -> None:
    """Put both halves in their places, or neither."""
    try:
        write_sealed(sealed_file, sealed)
        _move(building, folder)
    except BaseException:
        if not folder.exists():
            sealed_file.unlink(missing_ok=True)
        raise


def _move(building: Path, folder: Path) -> None:
    with storing(folder):
        building.rename(folder)
        sync_folder(folder.parent)


def _check_places(name: str, projects: Path, sealed: Path) -> None:
    if not NAME.fullmatch(name):
        raise InputError(
            f"--project {name!a}: use up to 64 lower-case letters, digits and . _ -, a letter or digit first"
        )
    if name.endswith(RESERVED):
        raise InputError(f"--project {name}: no name may end in {' or '.join(RESERVED)}; exports have files called so")
    if sealed.resolve().is_relative_to(projects.resolve()):
        raise InputError(f"{sealed}: lies where annotators' databases are; name another folder with --sealed")


def _check_free(folder: Path, sealed_file: Path) -> None:
    if folder.exists():
        raise InputError(f"{folder}: there already; choose another name with --project")
    if sealed_file.exists():
        raise InputError(
            f"{sealed_file}: there already, without {folder}; choose another name with --project, or remove the file "
            "if it was left by a `create` that was interrupted"
        )


def check_protocol(protocol: AnnotationProtocol, scheme: Scheme) -> None:
    """Raises InputError if the protocol's practice asks for what the scheme does not ask."""
    known = {question.id: question.values for question in scheme.questions()}
    for number, item in enumerate(protocol.practice.items, start=1):
        for name, values in item.expected.items():
            _check_expected(known, f"practice item {number}", name, values)
    if protocol.practice.threshold and not any(item.expected for item in protocol.practice.items):
        raise InputError("practice: a threshold needs practice items with expected answers")


def _check_expected(known: Mapping[str, Sequence[str]], where: str, name: str, values: Sequence[str]) -> None:
    if name not in known:
        raise InputError(
            f"{where}: expects an answer to {name!a}, which is not asked; questions are {', '.join(known)}"
        )
    wrong = next((value for value in values if value not in known[name]), None)
    if wrong is not None:
        raise InputError(f"{where}: {wrong!a} does not answer '{name}'; use {', '.join(known[name])}")
    if not values:
        raise InputError(f"{where}: no answer to '{name}' is acceptable; use {', '.join(known[name])}")


def _check_shares(protocol: AnnotationProtocol, items: int) -> None:
    """Raises InputError if the repeats and checks of a full share do not fit into it."""
    wanted = protocol.assignment
    each = min(wanted.items_each or items, items)
    if wanted.repeats > room(each, wanted.repeat_gap):
        raise InputError(
            f"{wanted.repeats} repeats at least {wanted.repeat_gap} places later do not fit into {each} items: at most "
            f"{room(each, wanted.repeat_gap)} do; change `repeats` or `repeat_gap` in the protocol's [assignment]"
        )
    if wanted.checks > max(0, each - 1):
        raise InputError(
            f"{wanted.checks} instructed responses do not fit into {each} items: at most {max(0, each - 1)} do; "
            "change `checks` in the protocol's [assignment]"
        )


def _choose(materials: Sequence[Material], seed: int, limit: int | None) -> list[Material]:
    by_name = {tagged_hash("candidate/1", [one.origin.pair, one.origin.model]): one for one in materials}
    names = sample(seed, by_name, len(by_name) if limit is None else limit)
    return [by_name[name] for name in names]


def _sealed(wanted: Wanted, source: Source, seed: int, keys: Keys, chosen: Sequence[Material]) -> Sealed:
    codes = {item_code(keys.items, one.origin.pair, one.origin.model): one for one in chosen}
    return Sealed(
        project=wanted.name,
        kind=wanted.protocol.kind,
        run=source.name,
        manifest=source.manifest,
        rubric=source.rubric,
        seed=seed,
        key=keys.items.hex(),
        items={code: one.origin for code, one in codes.items()},
        strata={code: one.block for code, one in codes.items() if one.block != _own_block(one)},
        plan=wanted.plan,
    )


def _own_block(one: Material) -> str:
    """The stratum of an item that no sample drew."""
    return one.origin.design.block if isinstance(one.origin, PairOrigin) else one.block


def _write_database(
    path: Path, wanted: Wanted, scheme: Scheme, sealed: Sealed, keys: Keys, chosen: Sequence[Material]
) -> None:
    """The blind half. Rows go in by code, so that not even their order tells where they come from."""
    items = sorted((_item(keys, one) for one in chosen), key=_code)
    items += [_lesson(keys, *one) for one in enumerate(wanted.protocol.practice.items, start=1)]
    with closing(Database(path)) as database, database.writing() as session:
        upgrade(session.connection())
        project = _project(wanted, scheme, sealed.seed, key_name(keys.pairs))
        session.add(project)
        _add_questions(session, scheme)
        session.add_all(items)
        session.flush()
        record(session, wanted.genesis, "created", "", "", beginning(project, items, sealed))
    with storing(path):
        path.chmod(0o600)


def _add_questions(session: Session, scheme: Scheme) -> None:
    """What is asked and what can be answered; the database knows nothing else of the scheme."""
    for question in (*scheme.questions(), CHECK):
        session.add(Question.model_validate({"id": question.id, "beside": int(question == CHECK)}))
        session.flush()
        choices = [{"question_id": question.id, "value": value} for value in question.values]
        session.add_all(map(Choice.model_validate, choices))


def _code(item: Item) -> str:
    return item.code


def _project(wanted: Wanted, scheme: Scheme, seed: int, pair_key: str) -> Project:
    fields = {
        "name": wanted.name,
        "kind": wanted.protocol.kind,
        "scheme": _json(scheme),
        "protocol": _json(wanted.protocol),
        "address": wanted.address,
        "pair_key": pair_key,
        "seed": seed,
        "genesis": wanted.genesis,
        "created_at": now(),
    }
    return Project.model_validate(fields)


def _json(value: Any) -> str:
    return canonical(plain(value)).decode("ascii")


def _item(keys: Keys, one: Material) -> Item:
    fields = {
        "code": item_code(keys.items, one.origin.pair, one.origin.model),
        "stratum": stratum_code(keys.items, one.block),
        "pair": pair_code(keys.pairs, one.origin.pair),
        "content": _json(texts_of(one)),
        "lesson": "",
    }
    return Item.model_validate(fields)


def _lesson(keys: Keys, number: int, item: PracticeItem) -> Item:
    """A practice item; its stratum is its place in the protocol, which is no secret."""
    texts = {"acting": item.acting, "facing": item.facing, "prompts": item.prompts, "responses": item.responses}
    fields = {
        "code": item_code(keys.items, "practice", str(number)),
        "stratum": str(number),
        "pair": "",
        "content": _json(texts),
        "lesson": _json({"expected": item.expected, "feedback": item.feedback}),
    }
    return Item.model_validate(fields)
