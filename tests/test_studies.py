"""The shipped studies: their sizes, their draws, their panels, and what they take over from one another."""

import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from polibias import flow
from polibias.analysis.first_report import analyse
from polibias.domain.ids import tagged_hash
from polibias.domain.rows import PromptPair
from polibias.domain.study import Served
from polibias.errors import InputError
from polibias.models.base import Call
from polibias.models.registry import open_model
from polibias.planning import Plan, plan
from polibias.progress import QuietWatcher
from polibias.records.documents import read_named
from polibias.records.ledger import read
from polibias.records.runs import STUDY_TAG, Run
from polibias.records.verify import verify
from polibias.sources.registry import read_models
from tests.chat_server import ChatServer, error
from tests.conftest import ROOT, SCRIPTED, study_text

SHIPPED = sorted(path.stem for path in (ROOT / "studies").glob("*.toml"))


def shipped(name: str, panel: str = "") -> Plan:
    return plan(str(ROOT / "studies" / f"{name}.toml"), ROOT / "data", panel, keyless=True)


def items(found: Plan) -> set[tuple[str, str, str]]:
    return {item(pair) for pair in found.prompt_pairs}


def item(pair: PromptPair) -> tuple[str, str, str]:
    return pair.design.template, pair.design.topic, pair.design.task


@pytest.fixture(scope="module")
def official() -> Plan:
    return shipped("official")


@pytest.mark.parametrize("name", SHIPPED)
def test_every_shipped_study_can_be_asked(name: str) -> None:
    found = shipped(name)
    assert found.study.id == name
    assert len({tagged_hash("x/1", pair) for pair in found.prompt_pairs}) == len(found.prompt_pairs)


def test_official_study_is_the_one_that_was_published(official: Plan) -> None:
    """600 Main and 200 Control items. A changed draw is a changed study, so the very items are pinned."""
    assert Counter(pair.design.block for pair in official.prompt_pairs) == {"main": 600, "control": 200}
    assert {(p.design.block, p.inclusion) for p in official.prompt_pairs} == {
        ("main", 600 / 3904),
        ("control", 200 / 3904),
    }
    assert tagged_hash("items/1", [item(pair) for pair in official.prompt_pairs]) == OFFICIAL_ITEMS


OFFICIAL_ITEMS = "e054bfc32befc28ceeafbc2a82ea17346068c115b025a3891618e0322a77c710"


@pytest.mark.parametrize(
    ("name", "pairs", "judges", "prompts"),
    [
        ("premise", 800, 2, 1600),
        ("year-2023", 800, 2, 1600),
        ("grounded", 800, 2, 1600),
        ("null", 100, 2, 200),
        ("sycophancy", 3 * 256, 1, 768),
        ("direction", 800, 1, 1600),
        ("retest", 2 * 50, 2, 100),
    ],
)
def test_other_studies_lie_within_the_official_one(
    name: str, pairs: int, judges: int, prompts: int, official: Plan
) -> None:
    found = shipped(name)
    assert items(found) <= items(official)
    assert (len(found.prompt_pairs), len(found.judges), len(found.models)) == (pairs, judges, 7)
    assert len({text for pair in found.prompt_pairs for text in (pair.prompts.A, pair.prompts.B)}) == prompts


def test_parts_have_their_strata() -> None:
    null, framing, retest = (shipped(name).prompt_pairs for name in ("null", "sycophancy", "retest"))
    assert Counter(pair.design.block for pair in null) == {"main": 75, "control": 25}
    net = [pair for pair in framing if pair.design.condition == "sycophancy-net"]
    assert set(Counter((pair.design.topic, pair.design.task, pair.design.roles) for pair in net).values()) == {2}
    assert len({pair.design.topic for pair in net}) == 16
    again = [pair for pair in retest if pair.copy_of]
    assert sorted(Counter(pair.design.topic_category for pair in again).values()) == [12, 12, 13, 13]


def test_masking_study_is_the_one_that_was_published(official: Plan) -> None:
    """150 official items for seven models, masked and names-masked, and 350 pairs judged again, those of `retest`."""
    found = shipped("masking")
    assert items(found) < items(official)
    copies = Counter(pair.design.condition for pair in found.prompt_pairs)
    assert copies == {"official": 150, "masked": 150, "names-masked": 150, "retest": 50}
    assert len(found.own_pairs) * len(found.models) == 1050
    assert copies["retest"] * len(found.models) == 350
    assert sorted(Counter(pair.design.topic_category for pair in found.own_pairs).values()) == [37, 37, 38, 38]
    again = {item(pair) for pair in found.prompt_pairs if pair.design.condition == "retest"}
    assert again == items(shipped("retest"))
    assert found.replicates == {"official": 0, "masked": 0, "names-masked": 0, "retest": 1}


def test_version_1_is_a_study_of_its_own() -> None:
    """Six scenarios, five pairs, six prompt versions: 180 prompts of year 2027, thirteen models at temperature 0.3."""
    found = shipped("version-1")
    prompts = {text for pair in found.prompt_pairs for text in (pair.prompts.A, pair.prompts.B)}
    assert len(prompts) == 180
    assert all("2027" in text for text in prompts)
    assert len({pair.design.template for pair in found.prompt_pairs}) == 6
    assert "united-states-iran" in {pair.design.topic for pair in found.prompt_pairs}
    assert {(spec.temperature, spec.max_tokens) for spec in found.study.models} == {(0.3, 8096)}
    assert len(found.models) == 13


@pytest.mark.parametrize(("name", "use"), [("official", "paper"), ("version-1", "version-1")])
def test_panels_ask_what_the_registry_says(name: str, use: str) -> None:
    """The panel's models are those of the registry, by the name and with the reasoning setting it gives."""
    cards = read_models(ROOT / "data")
    study = shipped(name).study
    assert {spec.name for spec in study.models} == {card.id for card in cards.values() if use in card.used_in}
    assert {spec.name for spec in study.judges} <= {card.id for card in cards.values() if "judge" in card.used_in}
    for spec in (*study.models, *study.judges):
        assert isinstance(spec, Served)
        card, place = cards[spec.name], spec.billed_by
        body = open_model(spec, keyless=True).request(Call("Hello", 1)).body
        asked = {name: value for name, value in body.items() if name in ("reasoning", "thinking")}
        assert (spec.model, asked) == (card.name_at(place), card.reasoning.body.get(place, {}))


ITEMS = """
[[items]]
templates = ["WC-DIS-001", "GEN-INC-001"]
pairs = ["russia-ukraine", "france-germany"]
tasks = ["T1"]
"""


@pytest.fixture
def ask(tmp_path: Path) -> Callable[..., Run]:
    """A function that runs a small study to its seal in one folder of runs."""

    def run(id: str, extra: str = "", models: str = SCRIPTED) -> Run:
        path = tmp_path / f"{id}.toml"
        text = study_text(id, "", "").replace('judge_prompt = "pair"\n', "")
        path.write_text(text + extra + ITEMS + models, "utf-8")
        found = Run(tmp_path / "runs" / id)
        flow.run_study(plan(str(path), ROOT / "data"), found, QuietWatcher(), flow.Wanted("seal"))
        assert verify(found) == []
        return found

    return run


def texts(run: Run, side: str) -> dict[str, str]:
    """Each response of one version by its prompt."""
    prompts = {entry.id: entry.row.prompts for entry in read(run.pairs())}
    rows = [entry.row for entry in read(run.responses("fake"))]
    return {prompts[row.pair]["A" if side == "A" else "B"]: row.text for row in rows if row.side == side}


def test_null_study_takes_the_official_response_over(ask: Callable[..., Run]) -> None:
    """Version A of every null pair is the official response itself; only the reworded prompt is asked."""
    official, null = ask("official"), ask("null", 'conditions = ["null"]\nreuse = ["official"]\n')
    assert texts(null, "A") == texts(official, "A")
    notes = {(entry.row.side, entry.row.note.partition(" row ")[0]) for entry in read(null.responses("fake"))}
    assert notes == {("A", "reply shared with"), ("B", "")}
    assert {entry.row.design.roles for entry in read(null.judgments("fake-judge"))} == {"A"}


def test_retest_judges_the_same_responses_anew(ask: Callable[..., Run]) -> None:
    official, retest = ask("official"), ask("retest", 'reuse = ["official"]\nreplicate = 1\n')
    assert texts(retest, "A") == texts(official, "A")
    before, after = ({e.key: e.row.request for e in read(run.judgments("fake-judge"))} for run in (official, retest))
    assert before.keys().isdisjoint(after)
    assert {request.replicate for request in after.values()} == {1}


def test_judging_again_alike_is_not_asked_again(ask: Callable[..., Run]) -> None:
    """A study that asks what an earlier one asked takes verdicts over as well."""
    ask("official")
    again = ask("again", 'reuse = ["official"]\n')
    assert all("shared with row" in entry.row.note for entry in read(again.judgments("fake-judge")))


def test_direction_only_stores_a_side_and_no_labels(ask: Callable[..., Run]) -> None:
    ask("official")
    run = ask("direction", 'judge_prompt = "direction"\nreuse = ["official"]\n')
    verdicts = [entry.row.verdict for entry in read(run.judgments("fake-judge"))]
    for verdict in verdicts:
        assert verdict is not None
        assert verdict.labels == {}
        assert [*verdict.scores] == ["direction"]
        score = verdict.scores["direction"]
        assert score.score == int(score.favoured != "none")


def test_sycophancy_asks_equal_prompts_once_and_hides_personas(ask: Callable[..., Run]) -> None:
    """Three comparisons of the same three personas: six requests per item, and no judge reads a persona."""
    names = [f"sycophancy-{name}" for name in ("net", "softening", "hardening")]
    run = ask("sycophancy", f"conditions = {names}\n".replace("'", '"'))
    rows = list(read(run.responses("fake")))
    assert (len(rows), len({entry.key for entry in rows})) == (4 * 3 * 2 * 2, 4 * 6)
    for entry in read(run.judgments("fake-judge")):
        assert "I study law" not in entry.row.request.body["messages"][0]["content"]


def test_reuse_needs_a_sealed_run_of_the_same_models(ask: Callable[..., Run], tmp_path: Path) -> None:
    with pytest.raises(InputError, match="official: no sealed run here, and this study reuses its replies"):
        ask("null", 'conditions = ["null"]\nreuse = ["official"]\n')
    ask("official")
    shutil.rmtree(tmp_path / "runs" / "null", ignore_errors=True)
    other = SCRIPTED.replace("max_tokens = 50", "max_tokens = 60")
    with pytest.raises(InputError, match="no earlier run holds a reply of fake"):
        ask("null", 'conditions = ["null"]\nreuse = ["official"]\n', other)


def http(server: ChatServer, model: str = "m") -> str:
    """A model and a judge behind one server."""
    block = f'adapter = "openai_http"\nurl = "{server.url}"\nmodel = "{model}"\n'
    return f'[[models]]\nname = "fake"\nmax_tokens = 50\n{block}\n[[judges]]\nname = "fake-judge"\n{block}'


def test_a_reply_that_did_not_come_is_taken_over_as_what_it_was(
    ask: Callable[..., Run], chat_server: ChatServer
) -> None:
    """A prompt that exceeds the model's context exceeds it in the other study too; it is no empty answer."""
    chat_server.behave = lambda body, times: error(400, "maximum context length is 10 tokens")
    ask("official", models=http(chat_server))
    null = ask("null", 'conditions = ["null"]\nreuse = ["official"]\n', http(chat_server))
    rows = [entry.row for entry in read(null.responses("fake"))]
    assert {(row.side, row.outcome) for row in rows} == {("A", "context_exceeded"), ("B", "context_exceeded")}
    assert all("maximum context length" in row.note for row in rows)


def begun(tmp_path: Path, extra: str = "", items: str = "", models: str = SCRIPTED) -> tuple[Plan, Run]:
    """A study whose responses are there and that is not judged yet."""
    path = tmp_path / "begun.toml"
    text = study_text("begun", "", "").replace('judge_prompt = "pair"\n', "")
    path.write_text(text + extra + (items or ITEMS) + models, "utf-8")
    return plan(str(path), ROOT / "data"), Run(tmp_path / "runs" / "begun")


def test_a_changed_address_is_kept_beside_the_one_that_answered(tmp_path: Path, chat_server: ChatServer) -> None:
    """Who answered before the change stays in the record of the run."""
    notes: list[str] = []
    watcher = QuietWatcher()
    watcher.note = notes.append  # type: ignore[method-assign]
    found, run = begun(tmp_path, models=http(chat_server))
    flow.run_study(found, run, watcher, flow.Wanted("generate"))
    with ChatServer() as other:
        found, run = begun(tmp_path, models=http(other))
        flow.run_study(found, run, watcher, flow.Wanted("seal"))
    about = read_named(run.study, STUDY_TAG)
    (before,) = about["providers_before"]
    assert before["providers"]["models"] == [chat_server.url.removesuffix("/v1")]
    assert about["providers"]["models"] != before["providers"]["models"]
    assert any("addresses have changed" in note for note in notes)


def test_what_decides_where_rows_came_from_cannot_change_under_a_run(ask: Callable[..., Run], tmp_path: Path) -> None:
    """Dropping the reuse, or the draw that gave a probability, is another study."""
    ask("official")
    found, run = begun(tmp_path, 'reuse = ["official"]\n')
    flow.run_study(found, run, QuietWatcher(), flow.Wanted("generate"))
    with pytest.raises(InputError, match="begun with other reuses"):
        flow.run_study(begun(tmp_path)[0], run, QuietWatcher())
    shutil.rmtree(run.folder)
    drawn = ITEMS + "[draw]\nseed = 1\nmain = 1\ncontrol = 0\n"
    found, run = begun(tmp_path, items=drawn)
    flow.run_study(found, run, QuietWatcher(), flow.Wanted("generate"))
    (one,) = found.prompt_pairs
    named = f'[[items]]\ntemplates = ["{one.design.template}"]\npairs = ["{one.design.topic}"]\ntasks = ["T1"]\n'
    with pytest.raises(InputError, match="begun with other pairs"):
        flow.run_study(begun(tmp_path, items=named)[0], run, QuietWatcher())


def test_the_order_of_entries_is_no_other_study(tmp_path: Path) -> None:
    found, run = begun(tmp_path)
    flow.run_study(found, run, QuietWatcher(), flow.Wanted("generate"))
    turned = ITEMS.replace('"WC-DIS-001", "GEN-INC-001"', '"GEN-INC-001", "WC-DIS-001"')
    flow.run_study(begun(tmp_path, items=turned)[0], run, QuietWatcher(), flow.Wanted("seal"))
    assert verify(run) == []


def test_a_run_with_annotations_is_never_begun_anew(ask: Callable[..., Run], tmp_path: Path) -> None:
    run = ask("begun")
    stream = run.annotations("p").path
    stream.parent.mkdir()
    stream.write_bytes(b"")
    shutil.rmtree(run.folder / "responses")
    shutil.rmtree(run.folder / "judgments")
    run.manifest.unlink()
    with pytest.raises(InputError, match="holds annotations"):
        flow.run_study(begun(tmp_path, items=ITEMS.replace('"GEN-INC-001"', '"GEN-KIL-001"'))[0], run, QuietWatcher())
    assert stream.exists()


def test_labels_that_were_not_asked_for_are_not_counted(ask: Callable[..., Run], tmp_path: Path) -> None:
    """A condition whose judge gives no labels has no number for them, and says why."""
    run = ask("mixed", 'conditions = ["official", "sycophancy-net"]\n')
    tables = {table.id: table for table in analyse(run).findings.tables}
    for row in tables["one_sided"].rows:
        cell = row.cells["unclear_refusal"]
        asked = row.keys["condition"] == "official"
        assert (cell.value is None, cell.reason) == (not asked, "" if asked else "not asked in this condition")


def test_ids_of_a_rubric_are_only_names(ask: Callable[..., Run], tmp_path: Path) -> None:
    """A label called like something of ours reaches the report."""
    data = tmp_path / "data"
    shutil.copytree(ROOT / "data", data)
    rubric = data / "rubrics" / "poli-bias.toml"
    rubric.write_text(rubric.read_text("utf-8").replace('id = "refusal"', 'id = "block"'), "utf-8")
    path = tmp_path / "small.toml"
    path.write_text(study_text(), "utf-8")
    run = Run(tmp_path / "runs" / "small")
    flow.run_study(plan(str(path), data), run, QuietWatcher())
    assert "one_sided_block" in (run.report / "tables" / "one_sided.csv").read_text("utf-8")


@pytest.mark.parametrize(
    ("extra", "said"),
    [
        ("[draw]\nseed = 1\nmain = 0\ncontrol = 0", "its draw leaves nothing to ask"),
        ('panel = "scripted"', "names a panel and has models or judges of its own"),
        ('conditions = ["null"]\njudge_prompt = "pair"', "judge prompt 'pair' is for swapped roles"),
        ('judge_prompt = "sycophancy"', "judge prompt 'sycophancy' is for kept roles"),
        ('conditions = ["offical"]', "unknown condition 'offical'; did you mean official"),
        ('conditions = ["official", "official"]', "name each condition once"),
        ('judge_prompt = "pare"', "unknown judge prompt 'pare'; did you mean pair"),
        ('reuse = ["small"]', "a study cannot reuse its own run"),
        ('beside = ["small"]', "a study's own run cannot stand beside it"),
        ('beside = ["../small"]', "beside"),
        ('pair_set = "mine"', "give one of the two"),
        ("[draw]\nseed = 1\nmain = 600\ncontrol = 1", "block 'main': 600 items of 2"),
        ('[draw]\nseed = 1\n[[draw.parts]]\nname = "x"\nitems = 99', "part 'x': 99 items of 4"),
        ('[draw]\nseed = 1\n[[draw.parts]]\nname = "x"\nitems = 2\nover = ["colour"]', "colour"),
    ],
)
def test_a_study_that_cannot_be_asked_says_why(extra: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "small.toml"
    top, _, tables = extra.partition("[")
    top, tables = (extra, "") if not extra.startswith("[") else ("", extra)
    path.write_text(f'id = "small"\ntitle = "s"\nrubric = "poli-bias"\n{top}\n{ITEMS}{SCRIPTED}\n{tables}\n', "utf-8")
    with pytest.raises(InputError) as raised:
        plan(str(path), ROOT / "data")
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)
