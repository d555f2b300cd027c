"""How long an export takes: fabricates a closed project of so many annotations, then exports it twice.

    python -m tests.bench.export --annotators 100 --items 500 [--clicks 10]

Each annotation has its whole trail in the event chain: opened, one draft per click, submitted.
"""

import argparse
import json
import resource
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from annotate_app.chain import now
from annotate_app.export import export
from annotate_app.store import Store, submission
from polibias.domain.chains import Link, event_hash
from polibias.domain.ids import canonical
from tests.app.conftest import MODELS, Place, Topic, enrol, full, make_project

LINE = "INSERT INTO event (number, at, kind, annotator, item, body, prev, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"


def topics(items: int) -> list[Topic]:
    """Pairs in two blocks, answered by two models each."""
    texts = ("The act is grave. " * 40, "The act may have had its reasons. " * 25)
    blocks = ("main", "control")
    return [
        Topic(blocks[n % 2], f"topic-{n}", (f"Country {n}", f"Land {n}"), texts)  # type: ignore[arg-type]
        for n in range(-(-items // len(MODELS)))
    ]


def fabricate(folder: Path, annotators: int, items: int, clicks: int) -> Place:
    """A closed project in which everybody submitted everything."""
    place = make_project(folder, topics(items))
    store = place.store
    for n in range(annotators):
        enrol(store, f"annotator {n:03d}")
    with closing(sqlite3.connect(store.path)) as database:
        database.execute("DROP TRIGGER sheet_drafted_first")
        database.execute("DROP TRIGGER answer_fixed_INSERT")
        database.execute("DROP TRIGGER sheet_closed_INSERT")
        database.execute("DROP TRIGGER answer_closed_INSERT")
        _submit_all(database, clicks)
        database.commit()
    return place


def _submit_all(database: sqlite3.Connection, clicks: int) -> None:
    entry = full(2, "A", "A comment of some length, as people write it.")
    said = submission(1, "submitted", "", entry)
    notes = canonical({"comments": entry.comments, "quotes": {}}).decode("ascii")
    query = "SELECT p.id, a.name, p.item_code, p.position FROM presentation p JOIN annotator a ON a.id = p.annotator_id"
    places = database.execute(query).fetchall()
    sheets = [(id, id, 1, "submitted", "", notes, now()) for id, *_ in places]
    database.executemany("INSERT INTO sheet VALUES (?, ?, ?, ?, ?, ?, ?)", sheets)
    answers = ((id, question, value) for id, *_ in places for question, value in entry.answers.items())
    database.executemany("INSERT INTO answer VALUES (?, ?, ?)", answers)
    database.executemany(LINE, _chained(database, _trail(places, said, list(entry.answers.items()), clicks)))
    database.execute("INSERT INTO closure VALUES (1, ?)", (now(),))


def _trail(
    places: list[tuple[int, str, str, int]], said: dict[str, object], clicked: list[tuple[str, object]], clicks: int
) -> Iterator[tuple[str, str, str, dict[str, object]]]:
    for _, name, item, position in places:
        where = {"position": position, "revision": 1}
        yield "opened", name, item, where
        for click in range(clicks):
            yield "draft", name, item, {**where, "changed": dict([clicked[click % len(clicked)]])}
        yield "submitted", name, item, {"position": position, **said}
    yield "closed", "", "", {}


def _chained(database: sqlite3.Connection, trail: Iterator[tuple[str, str, str, dict[str, object]]]) -> Iterator[Link]:
    number, prev = database.execute("SELECT number, hash FROM event ORDER BY number DESC").fetchone()
    for kind, name, item, body in trail:
        number += 1
        event = {"number": number, "at": now(), "kind": kind, "annotator": name, "item": item}
        event |= {"body": canonical(body).decode("ascii"), "prev": prev}
        prev = event_hash(event)
        yield Link(**event, hash=prev)


def measure(place: Place, store: Store) -> None:
    """Print how long a first and a second export take, and how large its files are."""
    for which in ("first", "second"):
        began = time.perf_counter()
        done = export(store, place.sealed, place.run)
        took = time.perf_counter() - began
        print(f"{which} export: {done.rows:,} annotations, {done.new:,} new, {took:.1f} s")
    sizes = {path.name: path.stat().st_size for path in done.files}
    print(json.dumps({name: f"{size / 1e6:.1f} MB" for name, size in sizes.items()}))
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


def main() -> None:
    """Fabricate and measure."""
    options = argparse.ArgumentParser()
    options.add_argument("--annotators", type=int, default=100)
    options.add_argument("--items", type=int, default=500)
    options.add_argument("--clicks", type=int, default=10)
    wanted = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = fabricate(Path(folder), wanted.annotators, wanted.items, wanted.clicks)
        measure(place, place.store)


if __name__ == "__main__":
    main()
