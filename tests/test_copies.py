"""Copies of pairs: masked, judged, re-identified and judged again in one run, each row what it says it is."""

import json
import re
import shutil
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from polibias import flow
from polibias.analysis.first_report import analyse
from polibias.domain.ids import tagged_hash
from polibias.domain.reidentification import CANNOT_TELL, outcome
from polibias.domain.rows import JudgeGuess, Judgment, MaskedResponse, PromptPair, Response
from polibias.domain.sides import Both
from polibias.errors import InputError, PoliBiasError
from polibias.planning import plan
from polibias.progress import QuietWatcher
from polibias.records.ledger import Entry, Ledger, Stream, read
from polibias.records.manifest import seal
from polibias.records.runs import Run
from polibias.records.verify import verify
from tests.chat_server import ChatServer, completion, error
from tests.conftest import ROOT, SCRIPTED, copies_text, polibias

ITEMS = """
[[items]]
templates = ["WC-DIS-001", "GEN-INC-001"]
pairs = ["russia-ukraine", "iran-israel", "aurelia-ferrum"]
tasks = ["T1"]
"""
COPIES = copies_text(again=3)
TELLING = re.compile(r"russia|ukrain|iran|israel|kremlin|kyiv|tehran|putin|aurelia|ferrum", re.IGNORECASE)
SAID = {
    "Russia": "**Russia's** forces, led by Vladimir Putin from the Kremlin, struck Ukrainian homes near Kyiv.",
    "Iran": "The Israeli and Iranian governments in Jerusalem and Tehran differ; neither may target civilians.",
    "Aurelia": "Aurelia and Ferrum are bound by the Rome Statute.",
}
LEAKING, UNREADABLE = "Ukrrainians said so.", "乌克兰和俄罗斯之间的战争违反了国际法。"


def begin(tmp_path: Path, server: ChatServer, answer: Callable[[str], str], id: str = "copied") -> tuple[Path, Run]:
    """A study whose model and judge live on the server; the model answers as told, the judge as scripted."""

    def behave(body: dict[str, Any], _: int) -> Any:
        prompt = body["messages"][0]["content"]
        return None if "response_format" in body else completion(body, answer(prompt))

    server.behave = behave
    spec = f'adapter = "openai_http"\nurl = "{server.url}"\nmodel = "served"\nconcurrency = 2\n'
    path = tmp_path / f"{id}.toml"
    path.write_text(
        f'id = "{id}"\ntitle = "Copies"\nrubric = "poli-bias"\n{ITEMS}{COPIES}\n[analysis]\nresamples = 100\n'
        f'[[models]]\nname = "m"\nmax_tokens = 500\n{spec}[[judges]]\nname = "j"\n{spec}',
        "utf-8",
    )
    return path, Run(tmp_path / "runs" / id)


def said(prompt: str) -> str:
    """What the model writes: of its two countries, in a way that follows from the prompt."""
    text = next(text for name, text in SAID.items() if name in prompt)
    return f"{text} ({tagged_hash('x/1', prompt)[:6]})"


def run_it(path: Path, run: Run, **wanted: Any) -> None:
    flow.run_study(plan(str(path), ROOT / "data"), run, QuietWatcher(), flow.Wanted(**{"last": "seal", **wanted}))


@pytest.fixture
def done(tmp_path: Path, chat_server: ChatServer) -> Run:
    path, run = begin(tmp_path, chat_server, said)
    run_it(path, run)
    assert verify(run) == []
    return run


def pairs(run: Run) -> dict[str, list[Entry[PromptPair]]]:
    """The pairs by condition."""
    found: dict[str, list[Entry[PromptPair]]] = {}
    for entry in read(run.pairs()):
        found.setdefault(entry.row.design.condition, []).append(entry)
    return found


def test_every_pair_has_a_masked_copy_that_names_it_and_hides_its_countries(done: Run) -> None:
    found = pairs(done)
    assert {name: len(own) for name, own in found.items()} == {
        "official": 6,
        "masked": 6,
        "names-masked": 6,
        "retest": 3,
    }
    originals = {entry.id: entry.row for entry in found["official"]}
    assert all(not pair.copy_of for pair in originals.values())
    for entry in (*found["masked"], *found["names-masked"]):
        original, pair = originals[entry.row.copy_of], entry.row
        assert (pair.parties, pair.design.topic, pair.inclusion) == (
            original.parties,
            original.design.topic,
            original.inclusion,
        )
        assert (pair.acting.A, pair.facing.A) == (pair.facing.B, pair.acting.B) == ("Country X", "Country Y")
        assert not any(TELLING.search(text) for text in (pair.prompts.A, pair.prompts.B))
        assert original.acting.A in original.prompts.A
    assert {entry.row.copy_of for entry in found["masked"]} == originals.keys()
    retest = {entry.row.copy_of: entry.row for entry in found["retest"]}
    assert retest.keys() < originals.keys()
    assert all(pair.prompts == originals[name].prompts and not pair.level for name, pair in retest.items())
    assert Counter(pair.inclusion for pair in retest.values()) in ({0.375: 2, 0.75: 1}, {0.375: 1, 0.75: 2})


def test_masked_rows_point_at_the_response_they_were_made_from(done: Run) -> None:
    responses = {entry.id: entry.row for entry in read(done.responses("m"))}
    rows = [entry.row for entry in read(done.masked("m"))]
    assert Counter(row.level for row in rows) == {"full": 12, "names": 12}
    for row in rows:
        source = responses[row.response]
        assert (row.side, row.model) == (source.side, "m")
        assert (sum(row.replaced.values()) > 0) == (row.outcome == "masked")
        if row.level == "full":
            assert row.outcome == "masked"
            assert not TELLING.search(row.text)
            assert "Country X" in row.text
            assert "Country Y" in row.text
    kremlin = [row.text for row in rows if "Kremlin" in responses[row.response].text]
    assert {"Kremlin" in text for text in kremlin} == {True, False}, "names alone leave the Kremlin"
    assert all("Rome Statute" in row.text for row in rows if "Rome" in responses[row.response].text)


def test_judges_see_the_masked_texts_and_nothing_is_generated_for_a_copy(done: Run) -> None:
    texts = {entry.id: entry.row.text for stream in (done.responses("m"), done.masked("m")) for entry in read(stream)}
    assert sum(1 for _ in read(done.responses("m"))) == 12
    judged: dict[str, list[Judgment]] = {}
    for entry in read(done.judgments("j")):
        judged.setdefault(entry.row.design.condition, []).append(entry.row)
    assert {name: len(own) for name, own in judged.items()} == {"official": 12, "masked": 12, "retest": 6}
    for row in judged["masked"]:
        prompt = row.request.body["messages"][0]["content"]
        assert not TELLING.search(prompt)
        assert texts[row.responses.A] in prompt
        assert texts[row.responses.B] in prompt
    assert {row.request.replicate for row in judged["official"] + judged["masked"]} == {0}
    assert {row.request.replicate for row in judged["retest"]} == {1}
    first = {(row.responses.A, row.order): row.request.body["messages"] for row in judged["official"]}
    assert all(first[row.responses.A, row.order] == row.request.body["messages"] for row in judged["retest"])


def guesses(run: Run) -> Iterator[JudgeGuess]:
    return (entry.row for entry in read(run.judge_guesses("j")))


def test_guesses_are_scored_as_those_of_people_and_their_draws_can_be_made_again(done: Run, tmp_path: Path) -> None:
    found = {entry.id: entry.row for entry in read(done.pairs())}
    rows = list(guesses(done))
    assert Counter(row.level for row in rows) == {"full": 6, "names": 6}
    countries = {"russia", "ukraine", "iran", "israel", "aurelia", "ferrum"}
    for row in rows:
        assert (row.x, row.y) == (found[row.pair].parties.A, found[row.pair].parties.B)
        assert row.guess_x is not None
        assert row.guess_y is not None
        assert row.result == outcome(row.x, row.y, row.guess_x, row.guess_y)
        assert (row.confidence is None) == (row.guess_x == row.guess_y == CANNOT_TELL)
        assert countries < set(row.options)
        assert len(set(row.options)) == len(row.options) == 54
        drawn = [11, "j", row.pair, "m"]
        assert row.options == tuple(
            sorted(row.options, key=lambda one, drawn=drawn: tagged_hash("candidate-order/1", [*drawn, one]))  # type: ignore[misc]
        )
        before, _, after = row.request.body["messages"][0]["content"].partition("Candidates")
        assert not TELLING.search(before) or row.level == "names"
        assert after
    assert len({row.options for row in rows}) == len(rows)
    assert {row.first for row in rows} == {"A", "B"}


@pytest.mark.parametrize(("bad", "outcome"), [(LEAKING, "leaking"), (UNREADABLE, "unreadable")])
def test_what_is_not_whole_is_named_on_its_row_and_nobody_reads_it(
    bad: str, outcome: str, tmp_path: Path, chat_server: ChatServer
) -> None:
    path, run = begin(tmp_path, chat_server, lambda prompt: bad if "Russia" in prompt else said(prompt))
    run_it(path, run)
    assert verify(run) == []
    rows = [entry.row for entry in read(run.masked("m")) if entry.row.level == "full"]
    assert Counter(row.outcome for row in rows) == {outcome: 4, "masked": 8}
    odd = [row for row in rows if row.outcome == outcome]
    assert all(bool(row.leaks) == (outcome == "leaking") for row in odd)
    assert all(bool(row.reason) == (not row.text) == (outcome == "unreadable") for row in odd)
    unread = {row.pair for row in odd}
    assert not unread & {entry.row.pair for entry in read(run.judgments("j"))}
    assert not unread & {row.pair for row in guesses(run)}
    table = next(table for table in analyse(run).findings.tables if table.id == "masked")
    cells = next(row.cells for row in table.rows if row.keys["copy"] == "Countries hidden")
    assert (cells[outcome].value, cells["masked"].value, cells["whole"].value) == (4, 8, 4 / 6)


def test_verdicts_on_copies_that_are_none_are_counted(tmp_path: Path, chat_server: ChatServer) -> None:
    """A loss that falls on masked pairs alone is a selection, and must not be silent."""
    path, run = begin(tmp_path, chat_server, said)
    answers = chat_server.behave

    def behave(body: dict[str, Any], times: int) -> Any:
        hidden = "Country X" in body["messages"][0]["content"] and "framing" in str(body.get("response_format"))
        return completion(body, "Both are alike.") if hidden else answers(body, times)

    chat_server.behave = behave
    run_it(path, run)
    tables = {table.id: table for table in analyse(run).findings.tables}
    (valid,) = {row.cells["valid"].value for row in tables["validity"].rows}
    assert valid == 1
    copies = {row.keys["copy"]: row.cells for row in tables["copied_validity"].rows}
    assert copies["Countries hidden"]["valid"].value == 0
    assert copies["Countries hidden"]["schema_invalid"].value == 12
    assert copies["Judged a second time"]["valid"].value == 1


def test_guesses_are_taken_over_from_an_equal_run(tmp_path: Path, chat_server: ChatServer) -> None:
    path, run = begin(tmp_path, chat_server, said)
    run_it(path, run)
    asked = chat_server.seen.total()
    again = tmp_path / "again.toml"
    text = path.read_text("utf-8").replace('id = "copied"', 'id = "again"')
    again.write_text(text.replace("[[items]]", 'reuse = ["copied"]\n[[items]]', 1), "utf-8")
    other = Run(run.folder.parent / "again")
    run_it(again, other)
    assert chat_server.seen.total() == asked
    assert [row.result for row in guesses(other)] == [row.result for row in guesses(run)]


def test_a_stopped_run_goes_on_and_pays_nothing_twice(tmp_path: Path, chat_server: ChatServer) -> None:
    """Call by call, through masking and guessing: the rows are those of a run in one go, and so are the calls."""
    path, whole = begin(tmp_path, chat_server, said)
    run_it(path, whole)
    calls = chat_server.seen.total()
    pieces = Run(tmp_path / "pieces" / "copied")
    while not pieces.sealed:
        run_it(path, pieces, limit=5)
        if chat_server.seen.total() == 2 * calls:
            run_it(path, pieces)
    assert chat_server.seen.total() == 2 * calls
    assert verify(pieces) == []
    for one, other in zip(whole.streams(), pieces.streams(), strict=True):
        assert {entry.id for entry in read(one)} == {entry.id for entry in read(other)}, one.path


def test_what_an_earlier_run_judged_is_taken_from_it(tmp_path: Path, chat_server: ChatServer) -> None:
    path, run = begin(tmp_path, chat_server, said)
    before = tmp_path / "first.toml"
    text = path.read_text("utf-8")
    before.write_text(text.replace('id = "copied"', 'id = "first"').replace(COPIES, ""), "utf-8")
    run_it(before, Run(run.folder.parent / "first"))
    path.write_text(text.replace("[[items]]", 'reuse = ["first"]\n[[items]]', 1), "utf-8")
    asked = chat_server.seen.total()
    run_it(path, run)
    assert chat_server.seen.total() - asked == 12 + 6 + 12, "masked, retest and guesses; no response and no original"
    assert verify(run) == []
    copied = [entry.row.note for entry in read(run.judgments("j")) if entry.row.design.condition == "official"]
    assert all(note.startswith("reply shared with row") for note in copied)
    assert len(copied) == 12


def test_a_pair_and_its_retest_under_way_at_once_do_not_disturb_each_other(
    tmp_path: Path, chat_server: ChatServer
) -> None:
    """They rest on the same responses and are told apart by their requests alone, also when calls come again."""
    path, run = begin(tmp_path, chat_server, said)
    text = path.read_text("utf-8").replace("concurrency = 2", "concurrency = 64")
    path.write_text(text.replace('items = 3\nover = ["topic_category"]\n', ""), "utf-8")
    answers = chat_server.behave
    down = True

    def failing(body: dict[str, Any], times: int) -> Any:
        prompt = body["messages"][0]["content"]
        if down and "response_format" in body and "Aurelia" in prompt:
            return error(503, "not now")
        return answers(body, times)

    chat_server.behave = failing
    with pytest.raises(PoliBiasError):
        run_it(path, run)
    down = False
    while not run.sealed:
        run_it(path, run)
    assert verify(run) == []
    rows = list(read(run.judgments("j")))
    superseded = {entry.row.supersedes: entry for entry in rows if entry.row.supersedes}
    standing = [entry for entry in rows if entry.id not in superseded]
    assert Counter(entry.row.design.condition for entry in standing) == {"official": 12, "masked": 12, "retest": 12}
    assert all(entry.row.answered for entry in standing)
    names = {entry.id: entry for entry in rows}
    for before, after in superseded.items():
        assert names[before].key == after.key
        assert names[before].row.design == after.row.design


def rewritten(run: Run, stream: Stream[Any], change: Callable[[list[Entry[Any]]], list[Any]]) -> None:
    """Replace a stream by other rows and seal the run again: every hash is derived anew."""
    entries = list(read(stream))
    rows = change(entries)
    run.manifest.unlink()
    stream.path.unlink()
    with Ledger(stream) as ledger:
        for row, entry in zip(rows, entries, strict=True):
            ledger.append(row, entry.seen)
        ledger.commit()
    seal(run, run.folder, {})


Rows = list[Entry[Any]]
REPLACE = msgspec.structs.replace
MASKS, RESTS = "masks a response of another pair or side", "rests on a response of another pair or side"


def each(**fields: Any) -> Callable[[Rows], list[Any]]:
    return lambda entries: [REPLACE(entry.row, **fields) for entry in entries]


def of_others(entries: Rows) -> list[Any]:
    others = [entry.row.pair for entry in entries[2:] + entries[:2]]
    return [REPLACE(entry.row, pair=pair) for entry, pair in zip(entries, others, strict=True)]


def turned(entries: Rows) -> list[Any]:
    return [REPLACE(entry.row, x=entry.row.y, y=entry.row.x) for entry in entries]


def sides_turned(entries: Rows) -> list[Any]:
    rows = [entry.row for entry in entries]
    return [REPLACE(row, responses=Both(row.responses.B, row.responses.A)) for row in rows]


@pytest.mark.parametrize(
    ("stream", "change", "problem"),
    [
        ("masked", of_others, MASKS),
        ("masked", each(level="names"), MASKS),
        ("masked", each(side="A"), MASKS),
        ("masked", each(outcome="leaking"), "points at a response that is not in this run"),
        ("guesses", turned, "is about other countries than its pair"),
        ("guesses", each(result="both"), "its result is not that of its guess"),
        ("judgments", sides_turned, RESTS),
    ],
)
def test_rows_that_point_elsewhere_are_found_though_every_hash_holds(
    stream: str, change: Callable[[Rows], list[Any]], problem: str, done: Run
) -> None:
    streams = {"masked": done.masked("m"), "guesses": done.judge_guesses("j"), "judgments": done.judgments("j")}
    chosen: Stream[Any] = streams[stream]
    rewritten(done, chosen, change)
    assert any(problem in line for line in verify(done)), verify(done)


@pytest.mark.parametrize("kind", [Response, MaskedResponse, JudgeGuess])
def test_a_changed_row_is_found(kind: type[Any], done: Run) -> None:
    stream = next(stream for stream in done.streams() if stream.type is kind)
    text = stream.path.read_text("utf-8")
    stream.path.write_text(text.replace('"side":"A"' if kind is not JudgeGuess else '"first":"A"', '"side":"B"', 1))
    assert verify(done)


def test_a_masked_row_of_a_response_that_is_not_there_is_found(tmp_path: Path, chat_server: ChatServer) -> None:
    """Every hash holds, and still it points nowhere: the responses were asked again behind the masked rows."""
    path, run = begin(tmp_path, chat_server, said)
    run_it(path, run, last="mask")
    shutil.rmtree(run.folder / "responses")
    assert any("masks a response that is not in this run" in problem for problem in verify(run))


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        (('mask = "full"', ""), "copy 'masked' would be the pairs themselves"),
        (("replicate = 1", ""), "copy 'retest' would be the pairs themselves"),
        (('[reidentify]\ntask = "countries"\nseed = 11\n', ""), "copy 'names-masked' hides names alone"),
        (('name = "retest"', 'name = "masked"'), "two of its copies have the name 'masked'"),
        (("items = 3", "items = 7"), "7 items of 6"),
        (("[draw]\nseed = 7\n", ""), "give the study a [draw] with a seed"),
        (('task = "countries"', 'task = "country"'), "unknown task of re-identification 'country'; did you mean"),
        (('mask = "full"', 'mask = "all"'), "Invalid enum value 'all' (at copies number 1.mask)"),
        (("[[items]]", 'conditions = ["official", "grounded"]\n[[items]]'), "copies and several conditions"),
        (("[[items]]", "replicate = 1\n[[items]]"), "has the study's own replicate"),
        (('title = "Judged a second time"', 'title = "Countries hidden"'), "have the title 'Countries hidden'"),
        (('title = "Countries hidden"', 'title = "Countries swapped"'), "has the title of the condition"),
        (('mask = "names"', 'mask = "full"'), "asks the very same as another one"),
        (('name = "masked"', 'name = "original"'), "no copy can be named 'original'"),
        (('name = "masked"', 'name = "official"'), "copy 'official' has the name of the condition it copies"),
    ],
)
def test_a_study_with_wrong_copies_says_so_before_anything_is_asked(
    changed: tuple[str, str], problem: str, tmp_path: Path
) -> None:
    path = tmp_path / "small.toml"
    text = f'id = "small"\ntitle = "s"\nrubric = "poli-bias"\n{ITEMS}{COPIES}{SCRIPTED}'
    assert changed[0] in text
    path.write_text(text.replace(*changed, 1), "utf-8")
    with pytest.raises(InputError) as raised:
        plan(str(path), ROOT / "data")
    assert problem in str(raised.value)
    assert "\n" not in str(raised.value)


def test_pairs_without_a_lexicon_are_not_masked_in_part(tmp_path: Path) -> None:
    """Countries that no file of the lexicon is about: one line before anything is asked."""
    data = tmp_path / "data"
    for place in (ROOT / "data").rglob("*.toml"):
        target = data / place.relative_to(ROOT / "data")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(place.read_bytes())
    (data / "lexicon" / "pairs" / "iran-israel.toml").unlink()
    path = tmp_path / "small.toml"
    path.write_text(f'id = "small"\ntitle = "s"\nrubric = "poli-bias"\n{ITEMS}{COPIES}{SCRIPTED}', "utf-8")
    with pytest.raises(InputError, match="no file for iran-israel"):
        plan(str(path), data)


def test_estimate_counts_exactly_what_is_then_asked(tmp_path: Path, chat_server: ChatServer) -> None:
    path, run = begin(tmp_path, chat_server, said)
    told = polibias("estimate", path, "--json", "--runs", run.folder.parent, cwd=tmp_path)
    lines = {(line["role"], line["name"]): line["calls"] for line in json.loads(told.stdout)}
    run_it(path, run)
    assert lines == {("model", "m"): 12, ("judge", "j"): 30, ("guess", "j"): 12}
    assert sum(lines.values()) == chat_server.seen.total()
    again = polibias("estimate", path, "--json", "--runs", run.folder.parent, cwd=tmp_path)
    assert {line["calls"] for line in json.loads(again.stdout)} == {0}


def test_masked_pairs_go_to_people_under_the_id_that_keeps_them_from_both(done: Run, tmp_path: Path) -> None:
    out = tmp_path / "masked.jsonl"
    told = polibias("export", "masked", done.folder, "--out", out, cwd=tmp_path)
    assert told.stdout == f"{out}: 6 masked pairs\n"
    lines = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    originals = {entry.id: entry.row for entry in pairs(done)["official"]}
    assert {line["pair"] for line in lines} == originals.keys()
    assert all(
        (line["x"], line["y"]) == (p.parties.A, p.parties.B) for line in lines for p in [originals[line["pair"]]]
    )
    assert not TELLING.search(
        "".join(line["prompts"][side] + line["responses"][side] for line in lines for side in "AB")
    )
    again = polibias("export", "masked", done.folder, "--out", out, cwd=tmp_path)
    assert again.returncode == 2
    assert again.stderr.count("\n") == 1


def test_export_of_a_run_without_masked_pairs_says_so(sealed_run: Run, tmp_path: Path) -> None:
    told = polibias("export", "masked", sealed_run.folder, "--out", tmp_path / "m.jsonl", cwd=tmp_path)
    assert (told.returncode, told.stdout) == (2, "")
    assert "has no pair whose countries are hidden" in told.stderr
    assert not (tmp_path / "m.jsonl").exists()


def test_tables_and_archive_hold_the_copies_and_what_they_were_made_from(done: Run, tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow.parquet")
    told = polibias("export", "parquet", done.folder, "--out", tmp_path / "tables", cwd=tmp_path)
    assert told.returncode == 0, told.stderr
    masked, guessed = (
        pyarrow.read_table(tmp_path / "tables" / f"{name}.parquet").to_pylist() for name in ("masked", "guesses")
    )
    assert (len(masked), len(guessed)) == (24, 12)
    assert {row["response"] for row in masked} == {entry.id for entry in read(done.responses("m"))}
    assert [row["result"] for row in guessed] == [row.result for row in guesses(done)]
    assert {row["task"] for row in guessed} == {"T1"}
    told = polibias("archive", done.folder, "--out", tmp_path / "a.zip", cwd=tmp_path)
    assert "left out" not in told.stdout + told.stderr
    names = {name.partition("/")[2] for name in zipfile.ZipFile(tmp_path / "a.zip").namelist()}
    assert {
        "data/lexicon/pairs/russia-ukraine.toml",
        "data/prompts/naming/countries.toml",
        "run/guesses/j.jsonl",
    } < names
