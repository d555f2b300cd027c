"""A run as tables: every row, every field, typed; all or nothing; texts that UTF-8 cannot hold come back whole."""

import json
from collections.abc import Callable
from pathlib import Path

import msgspec
import pandas as pd
import pytest
from pyarrow import parquet

from polibias import flow
from polibias.domain.ids import canonical, plain
from polibias.domain.rows import Seen
from polibias.errors import InputError
from polibias.planning import plan
from polibias.progress import QuietWatcher
from polibias.publish import parquet as tables
from polibias.publish.columns import flat, shapes
from polibias.publish.parquet import export_parquet
from polibias.records.ledger import read
from polibias.records.manifest import manifest_hash
from polibias.records.runs import Run
from polibias.sources.rubrics import read_rubric
from tests.conftest import ROOT, SCRIPTED, polibias

HOSTILE = SCRIPTED.replace('name = "fake"', 'name = "fake"\nscript = "hostile"')


@pytest.fixture
def hostile_run(write_study: Callable[..., Path], tmp_path: Path) -> Run:
    study = plan(str(write_study(models=HOSTILE)), ROOT / "data")
    run = Run(tmp_path / "runs" / study.study.id)
    flow.run_study(study, run, QuietWatcher())
    return run


def test_every_row_and_field_is_there(sealed_run: Run, tmp_path: Path) -> None:
    done = polibias("export", "parquet", sealed_run.folder, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    folder = sealed_run.folder.with_name("small-parquet")
    assert sorted(path.name for path in folder.iterdir()) == [
        "judgments.parquet",
        "pairs.parquet",
        "responses.parquet",
    ]
    rows = parquet.read_table(folder / "judgments.parquet").to_pylist()
    entries = list(read(sealed_run.judgments("fake-judge")))
    assert [row["id"] for row in rows] == [entry.id for entry in entries]
    for row, entry in zip(rows, entries, strict=True):
        stored = entry.row
        assert stored.verdict is not None
        assert row["key"] == entry.key
        assert (row["pair"], row["order"], row["judge"], row["model"]) == (
            stored.pair,
            stored.order,
            "fake-judge",
            "fake",
        )
        assert (row["response_a"], row["response_b"]) == (stored.responses.A, stored.responses.B)
        assert all(row[name] == value for name, value in plain(stored.design).items() if name != "tags")
        assert row["tags"].split() == list(stored.design.tags)
        assert json.loads(row["request"]) == plain(stored.request)
        assert row["seen_at"].isoformat(timespec="milliseconds").replace("+00:00", "Z") == entry.seen.at
        assert row["total"] == stored.verdict.total
        for name, score in stored.verdict.scores.items():
            assert (row[f"score_{name}"], row[f"favoured_{name}"]) == (score.score, score.favoured)
            assert tuple(json.loads(row[f"evidence_{name}"])) == score.evidence
        for name, label in stored.verdict.labels.items():
            assert (row[f"label_{name}_a"], row[f"label_{name}_b"]) == (label.A, label.B)
    named = parquet.read_schema(folder / "judgments.parquet").metadata
    assert named[b"manifest"].decode() == manifest_hash(sealed_run.folder)


def test_tables_open_in_pandas_typed_and_join(sealed_run: Run, tmp_path: Path) -> None:
    export_parquet(sealed_run, tmp_path / "out")
    pairs, responses, judgments = (
        pd.read_parquet(tmp_path / "out" / f"{name}.parquet") for name in ("pairs", "responses", "judgments")
    )
    assert (len(pairs), len(responses), len(judgments)) == (4, 8, 8)
    assert judgments["score_framing"].dtype == "int64"
    assert str(judgments["seen_at"].dtype) == "datetime64[ms, UTC]"
    assert set(responses["pair"]) == set(judgments["pair"]) == set(pairs["id"])
    assert set(judgments["response_a"]) <= set(responses["id"])
    assert pairs["shown_a"].isna().all()
    assert set(pairs["block"]) == {"main", "control"}


def test_lone_surrogates_come_back_exactly(hostile_run: Run, tmp_path: Path) -> None:
    export_parquet(hostile_run, tmp_path / "out")
    rows = parquet.read_table(tmp_path / "out" / "responses.parquet").to_pylist()
    texts = [entry.row.text for entry in read(hostile_run.responses("fake"))]
    assert any("\ud800" in text for text in texts)
    for row, text in zip(rows, texts, strict=True):
        assert ("text" in row["escaped"].split()) == ("\ud800" in text)
        assert (json.loads(row["text"]) if "text" in row["escaped"].split() else row["text"]) == text


def test_a_row_without_a_verdict_has_no_scores(sealed_run: Run) -> None:
    entry = next(read(sealed_run.judgments("fake-judge")))
    spoilt = entry._replace(row=msgspec.structs.replace(entry.row, verdict=None), seen=Seen())
    shape = shapes([read_rubric(ROOT / "data", "poli-bias", "tests")])["judgments"]
    found = flat(spoilt, shape)
    assert list(found) == list(shape.columns)
    assert [found[name] for name in ("total", "score_framing", "label_refusal_a", "seen_at")] == [None] * 4


def test_a_time_that_is_none_is_named(sealed_run: Run) -> None:
    entry = next(read(sealed_run.pairs()))._replace(seen=Seen("yesterday"))
    with pytest.raises(InputError, match=r"pairs\.jsonl:1: 'yesterday' is no time"):
        flat(entry, shapes([])["pairs"])


def test_groups_are_bounded(hostile_run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a run holds, a group of rows does not."""
    monkeypatch.setattr(tables, "GROUP_CHARACTERS", 50_000)
    export_parquet(hostile_run, tmp_path / "out")
    file = parquet.ParquetFile(tmp_path / "out" / "judgments.parquet")
    assert file.num_row_groups > 1
    assert file.metadata.num_rows == 8


def test_table_of_what_was_written_as_json(sealed_run: Run, tmp_path: Path) -> None:
    done = polibias("export", "parquet", sealed_run.folder, "--out", tmp_path / "new" / "out", "--json", cwd=tmp_path)
    found = json.loads(done.stdout)
    assert [(file["file"], file["rows"]) for file in found["files"]] == [
        ("pairs.parquet", 4),
        ("responses.parquet", 8),
        ("judgments.parquet", 8),
    ]
    assert all((tmp_path / "new" / "out" / file["file"]).stat().st_size == file["bytes"] for file in found["files"])


def test_nothing_is_overwritten_and_an_empty_folder_is_fine(sealed_run: Run, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    assert polibias("export", "parquet", sealed_run.folder, "--out", out, cwd=tmp_path).returncode == 0
    before = {path: path.read_bytes() for path in out.iterdir()}
    done = polibias("export", "parquet", sealed_run.folder, "--out", out, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr == (
        f"polibias: {out}: is there already, and nothing is overwritten; name another place with --out\n"
    )
    assert {path: path.read_bytes() for path in out.iterdir()} == before


def test_a_failure_leaves_nothing_behind(sealed_run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise OSError(28, "No space left on device")

    before = sorted(tmp_path.rglob("*"))
    for place in ("_groups", "require_whole"):
        with monkeypatch.context() as patch:
            patch.setattr(tables, place, broken)
            with pytest.raises(Exception, match=r"out: no space left on the device"):
                export_parquet(sealed_run, tmp_path / "out")
        assert sorted(tmp_path.rglob("*")) == before


def test_open_damaged_and_own_places_are_refused(
    sealed_run: Run, write_study: Callable[..., Path], tmp_path: Path
) -> None:
    done = polibias("export", "parquet", sealed_run.folder, "--out", sealed_run.folder / "tables", cwd=tmp_path)
    assert (done.returncode, "lies within the run" in done.stderr) == (2, True)
    stream = sealed_run.responses("fake").path
    stream.write_bytes(stream.read_bytes().replace(b"Scripted", b"Scribble", 1))
    done = polibias("export", "parquet", sealed_run.folder, cwd=tmp_path)
    assert (done.returncode, f"{stream}:1:" in done.stderr) == (2, True)
    study = plan(str(write_study(id="open")), ROOT / "data")
    run = Run(tmp_path / "runs" / "open")
    flow.run_study(study, run, QuietWatcher(), flow.Wanted("judge"))
    done = polibias("export", "parquet", run.folder, cwd=tmp_path)
    assert (done.returncode, "not sealed yet" in done.stderr) == (2, True)
    assert not list(tmp_path.rglob("*-parquet*"))


def test_request_is_canonical(sealed_run: Run, tmp_path: Path) -> None:
    export_parquet(sealed_run, tmp_path / "out")
    rows = parquet.read_table(tmp_path / "out" / "responses.parquet").to_pylist()
    assert all(canonical(json.loads(row["request"])).decode() == row["request"] for row in rows)
