"""Whether sealed file, run and database of a pair study belong together, down to every text that was shown."""

from collections.abc import Iterator, Mapping

from annotate_app.exporting.snapshot import Snapshot, StoredItem
from annotate_app.origins import human_rubric, rubric_hash
from annotate_app.protocol import PracticeItem
from annotate_app.questions import Scoring
from annotate_app.sealed import PairOrigin, Sealed, item_code, stratum_code
from annotate_app.store import Store
from polibias.domain.chains import GENESIS
from polibias.domain.ids import canonical, plain
from polibias.domain.rows import PromptPair, Response
from polibias.domain.sides import SIDES, Both
from polibias.errors import DamagedRecord, InputError
from polibias.records.ledger import read
from polibias.records.manifest import manifest_hash
from polibias.records.runs import Run


def check_origin(store: Store, sealed: Sealed, run: Run, snapshot: Snapshot) -> dict[str, PairOrigin]:
    """Where each item of the study comes from, by code.

    Raises InputError for a file or run that is another project's, DamagedRecord for one that was changed.
    """
    _check_project(store, sealed, run)
    origins = {code: one for code, one in sealed.items.items() if isinstance(one, PairOrigin)}
    if len(origins) < len(sealed.items):
        raise DamagedRecord(f"{store.path}: a pair study with an item that is no pair; restore the sealed file")
    study = {code: item for code, item in snapshot.items.items() if not item.lesson}
    if study.keys() != origins.keys():
        raise DamagedRecord(f"{store.path}: its items are not those of the sealed file")
    for code, item in (*_made_again(sealed, run, origins), *_lessons(store, sealed)):
        stored = snapshot.items.get(code)
        if stored is None or stored._replace(pair="", lesson="") != item:
            raise DamagedRecord(f"{store.path}: the texts of {code} are not those of the run; restore it from a copy")
    if len(study) + len(store.protocol.practice.items) != len(snapshot.items):
        raise DamagedRecord(f"{store.path}: its practice items are not those of its protocol")
    return origins


def _check_project(store: Store, sealed: Sealed, run: Run) -> None:
    project = store.project
    if (sealed.plan.lock if sealed.plan else GENESIS) != project.genesis:
        raise DamagedRecord(f"{store.path}: the sealed file names another plan than its event chain begins with")
    if sealed.project != project.name or sealed.seed != project.seed or sealed.kind != project.kind:
        raise InputError(f"{store.path}: the sealed file is that of another project ({sealed.project})")
    if not run.sealed or manifest_hash(run.folder) != sealed.manifest:
        raise InputError(f"{run.folder}: not the state of the run that '{project.name}' was made from")
    if Scoring(human_rubric(run)) != store.scheme or rubric_hash(run) != sealed.rubric:
        raise DamagedRecord(f"{store.path}: its rubric is not the one the project was made with")


def _made_again(sealed: Sealed, run: Run, origins: Mapping[str, PairOrigin]) -> Iterator[tuple[str, StoredItem]]:
    """The items as the run's records make them."""
    key = bytes.fromhex(sealed.key)
    pairs = _pairs(run, {one.pair for one in origins.values()})
    texts = _texts(run, {one.responses[side] for one in origins.values() for side in SIDES})
    for code, origin in origins.items():
        pair = pairs.get(origin.pair)
        found = Both(*(texts.get(origin.responses[side]) for side in SIDES))
        if pair is None or found.A is None or found.B is None or pair.design != origin.design:
            raise DamagedRecord(f"{run.folder}: what {code} was made from is not in this run; restore the sealed file")
        shown = {"acting": pair.acting, "facing": pair.facing, "prompts": pair.seen, "responses": found}
        yield (
            code,
            StoredItem(code, stratum_code(key, sealed.strata.get(code, origin.design.block)), "", _json(shown), ""),
        )


def _pairs(run: Run, wanted: set[str]) -> dict[str, PromptPair]:
    return {entry.id: entry.row for entry in read(run.pairs()) if entry.id in wanted}


def _texts(run: Run, wanted: set[str]) -> dict[str, str]:
    """The text of each wanted response; nothing else of a run is kept."""
    streams = [stream for stream in run.streams() if stream.type is Response]
    return {entry.id: entry.row.text for stream in streams for entry in read(stream) if entry.id in wanted}


def _lessons(store: Store, sealed: Sealed) -> Iterator[tuple[str, StoredItem]]:
    """The practice items as the protocol has them."""
    key = bytes.fromhex(sealed.key)
    for number, item in enumerate(store.protocol.practice.items, start=1):
        code = item_code(key, "practice", str(number))
        yield code, StoredItem(code, str(number), "", _json(_lesson(item)), "")


def _lesson(item: PracticeItem) -> dict[str, Both[str]]:
    return {"acting": item.acting, "facing": item.facing, "prompts": item.prompts, "responses": item.responses}


def _json(value: object) -> str:
    return canonical(plain(value)).decode("ascii")
