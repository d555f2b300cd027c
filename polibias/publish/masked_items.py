"""The masked pairs of a sealed run as a file of items for people, who name the countries as judges did."""

from collections.abc import Iterator
from pathlib import Path

from polibias.answered import answered_pairs, ready
from polibias.domain.ids import canonical, plain
from polibias.domain.masked import Level
from polibias.domain.rows import MaskedResponse
from polibias.errors import InputError
from polibias.publish.places import check_place, require_sealed
from polibias.records.documents import replacing
from polibias.records.runs import Run
from polibias.records.verify import require_whole


def export_masked(run: Run, out: Path, level: Level) -> int:
    """Write a line for every masked pair as answered by each model; returns how many.

    `pair` is the id of the pair with its names shown, so that nobody gets a pair both ways. Raises InputError unless
    the run is sealed and has masked pairs of this level, and `out` is new.
    """
    require_sealed(run)
    require_whole(run)
    check_place(run, out)
    if out.exists() or out.is_symlink():
        raise InputError(f"{out}: exists already; name a new file with --out")
    lines = 0
    with replacing(out) as file:
        for line in _items(run, level):
            file.write(line)
            lines += 1
        if not lines:
            raise InputError(f"{run.folder}: has no pair whose countries are hidden at the level '{level}'")
    return lines


def _items(run: Run, level: Level) -> Iterator[bytes]:
    for stream in run.streams():
        if stream.type is not MaskedResponse:
            continue
        masked = {pair: one for pair, one in ready(run, stream.path.stem).items() if one.level == level}
        for one in answered_pairs(run, masked):
            fields = {
                "pair": one.pair.copy_of,
                "model": one.model,
                "category": one.pair.design.topic_category,
                "x": one.pair.parties.A,
                "y": one.pair.parties.B,
                "prompts": one.pair.seen,
                "responses": one.texts,
            }
            yield canonical(plain(fields)) + b"\n"
