"""The desk's pages on plans: what `polibias` says, shown as it is, and one command that they can start."""

import json
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from streamlit.testing.v1 import AppTest

from annotate_app import desk_plans, settings
from annotate_app.desk_analysis import Analysis, Analyst, shared_analyst
from annotate_app.desk_findings import Cell, findings_of, interval, number, value
from annotate_app.desk_pages import plans as plans_page
from annotate_app.desk_pages.plans import CHOSEN, RUN, lower_headings, why_not
from annotate_app.desk_pages.splits import held_out, times
from annotate_app.desk_plans import FRESH, HeldOut, Plans, PlanStatus, Status, ask, last_line, prereg, shared_plans
from annotate_app.ending import close
from annotate_app.store import Store
from annotate_app.watch import shared_watched
from polibias.analysis.findings import Cell as ReportCell
from polibias.errors import InputError
from polibias.report import text as report
from tests.app.conftest import MODELS, SHORT, enrol, make_project
from tests.app.plans import HELD, HOSTILE, LOCK, OTHER, Fake, cell, plan, result, told
from tests.app.test_watch import draw, shown
from tests.app.window import said

SECONDS = 30


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Fake:
    """A stand-in for `polibias`, which the modules start instead."""
    fake = Fake(tmp_path / "fake")
    monkeypatch.setattr(desk_plans, "COMMAND", fake.command)
    return fake


@pytest.fixture
def store(tmp_path: Path, fake: Fake, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """The project `first`, with a desk on it."""
    place = make_project(tmp_path, SHORT, MODELS[:1])
    monkeypatch.setenv(settings.DATABASE, str(place.made.database))
    for name, path in fake.folders._asdict().items():
        monkeypatch.setenv(settings.FOLDER + name.upper(), str(path))
    monkeypatch.setattr(settings, "differing", list)
    forget()
    enrol(place.store, "ann")
    yield place.store
    forget()


def forget() -> None:
    for shared in (shared_plans, shared_analyst, shared_watched):
        shared.cache_clear()


def page(name: str) -> AppTest:
    found = AppTest.from_function(draw, args=(name,), default_timeout=SECONDS).run()
    assert not found.exception, found.exception
    return found


def status(**other: Any) -> PlanStatus:
    return msgspec.convert(plan(**other), type=PlanStatus)


# The command.


def test_the_command_is_asked_for_the_folders_and_nothing_else(fake: Fake) -> None:
    fake.says(plan())
    (found,) = ask(fake.folders).plans
    assert (found.plan, found.planned, found.sets[1].pairs) == ("blind-study", 100, 1030)
    where = [f"--{name}={fake.folder / name}" for name in ("prereg", "runs", "validations")]
    assert fake.asked == [["prereg", "status", "--json", *where]]


def test_the_usual_command_is_the_polibias_that_belongs_to_this_desk() -> None:
    assert (sys.executable, "-P", "-m", "polibias.cli") == desk_plans.COMMAND


def test_plans_with_problems_are_plans(fake: Fake) -> None:
    fake.says(plan(problems=["the sample was changed"]))
    fake.rules(status=(1, "1 problem\n"))
    assert ask(fake.folders).plans[0].problems == ("the sample was changed",)


def test_a_command_that_fails_says_its_last_line(fake: Fake) -> None:
    fake.rules(status=(2, "a warning\npolibias: prereg: no such\x1b[31m folder\n\n"))
    with pytest.raises(InputError, match=r"^polibias: prereg: no such⟨U\+001B⟩\[31m folder$"):
        ask(fake.folders)
    fake.rules(status=(3, ""))
    with pytest.raises(InputError, match="exit code 3 and said nothing"):
        ask(fake.folders)


def test_exit_code_1_without_json_is_a_failure(fake: Fake) -> None:
    (fake.folder / "status.json").write_text("")
    fake.rules(status=(1, "polibias: the disk is full\n"))
    with pytest.raises(InputError, match=r"^polibias: the disk is full$"):
        ask(fake.folders)


@pytest.mark.parametrize(
    "printed",
    [
        "nothing",
        "[]",
        '{"plans": [{}]}',
        told(plan(plan=None)),
        told(plan(planned=-1)),
        told(plan(planned=math.nan)),
        "[" * 100_000,
    ],
)
def test_what_is_not_a_status_is_one_line(fake: Fake, printed: str) -> None:
    (fake.folder / "status.json").write_text(printed)
    with pytest.raises(InputError, match=r"^polibias prereg status: not the JSON that was expected") as caught:
        ask(fake.folders)
    assert "\n" not in str(caught.value)


def test_a_polibias_that_is_not_there_is_one_line(fake: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(desk_plans, "COMMAND", (str(fake.folder / "absent"),))
    with pytest.raises(InputError, match=r"^polibias cannot be started: No such file"):
        ask(fake.folders)


def test_a_status_that_never_ends_is_given_up(fake: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(desk_plans, "PATIENCE", 0)
    with pytest.raises(InputError, match="took longer than 0 seconds"):
        ask(fake.folders)


def test_hidden_signs_are_shown_as_signs(fake: Fake) -> None:
    fake.says(plan(title="a\u202eb\ud800"))
    assert ask(fake.folders).plans[0].title == "a⟨U+202E⟩b⟨U+D800⟩"


def test_a_status_is_asked_for_once_in_a_few_seconds(fake: Fake) -> None:
    time, answers = [0.0], iter([Status((status(),)), InputError("broken"), Status(), Status(problems=("x",))])

    def asked(_: object) -> Status:
        found = next(answers)
        if isinstance(found, InputError):
            raise found
        return found

    plans = Plans(fake.folders, lambda: time[0], asked)
    assert plans.status() == plans.status() == Status((status(),))
    time[0] += FRESH + 0.1
    for _ in range(2):
        with pytest.raises(InputError, match="broken"):
            plans.status()
    assert plans.status(anew=True) == plans.status() == Status()
    plans.forget()
    assert plans.status().problems == ("x",)


def test_last_lines_are_short_and_single() -> None:
    assert last_line("a\n b\t c \n\n") == "b c"
    assert last_line(" \n") == ""
    assert len(last_line("x" * 10_000)) == desk_plans.LONGEST


def test_a_desk_without_folders_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in settings.Folders._fields:
        monkeypatch.delenv(settings.FOLDER + name.upper(), raising=False)
    with pytest.raises(InputError, match="--desk"):
        settings.folders()


# One analysis at a time.


def ended(analyst: Analyst) -> Analysis:
    return analyst.wait(lambda now: not now.running)


def test_an_analysis_ends_with_its_last_line(fake: Fake) -> None:
    analyst = Analyst()
    assert analyst.start("blind-study", prereg(["run", "blind-study"], fake.folders), fake.folder)
    assert ended(analyst) == Analysis("blind-study", False, "findings.json: 3 results", "")
    assert fake.asked[0][:3] == ["prereg", "run", "blind-study"]


def test_one_analysis_runs_at_a_time(fake: Fake) -> None:
    fake.shut()
    analyst = Analyst()
    command = prereg(["run", "blind-study"], fake.folders)
    assert analyst.start("blind-study", command, fake.folder)
    assert not analyst.start("other", command, fake.folder)
    fake.let_go()
    assert ended(analyst).plan == "blind-study"
    assert len(fake.asked) == 1


def test_an_analysis_that_fails_says_its_one_line(fake: Fake) -> None:
    fake.rules(run=(2, "polibias: blind-study: elsewhere is still open\n"))
    analyst = Analyst()
    analyst.start("blind-study", prereg(["run", "blind-study"], fake.folders), fake.folder)
    assert ended(analyst).failed == "polibias: blind-study: elsewhere is still open"
    fake.rules(run=(1, ""))
    assert analyst.start("blind-study", prereg(["run", "blind-study"], fake.folders), fake.folder)
    assert "exit code 1" in ended(analyst).failed
    analyst.start("blind-study", [str(fake.folder / "absent")], fake.folder)
    assert ended(analyst).failed.startswith("polibias cannot be started: ")


def test_what_runs_ends_with_the_desk(fake: Fake) -> None:
    fake.shut()
    analyst = Analyst()
    analyst.end()
    analyst.start("blind-study", prereg(["run", "blind-study"], fake.folders), fake.folder)
    analyst.wait(lambda now: now.said != "")
    analyst.end()
    assert "exit code -15" in ended(analyst).failed


# Findings.


def test_findings_of_this_lock_are_read(fake: Fake) -> None:
    found = findings_of(status(findings=fake.finds()), fake.folder)
    assert found is not None
    assert [one.id for one in found.of_role("primary")] == ["gap"]
    assert [one.id for one in found.others] == ["topics"]
    assert findings_of(status(findings="findings.json"), fake.folder) == found
    assert findings_of(status(), fake.folder) is None


@pytest.mark.parametrize(
    ("findings", "state"),
    [({"lock": OTHER}, {}), ({"plan": "other"}, {}), ({}, {"state": "sampled"}), ({"lock": ""}, {"lock": ""})],
)
def test_findings_of_another_lock_are_not_shown(fake: Fake, findings: Any, state: Any) -> None:
    with pytest.raises(InputError, match="another lock"):
        findings_of(status(findings=fake.finds(**findings), **state), fake.folder)


def test_findings_that_cannot_be_read_are_one_line(fake: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match=r"^absent.json: cannot be read \(No such file"):
        findings_of(status(findings="absent.json"), fake.folder)
    path = fake.finds(results=[{"id": "x"}])
    with pytest.raises(InputError, match=r"^findings.json: not the JSON that was expected"):
        findings_of(status(findings=path), fake.folder)
    monkeypatch.setattr("annotate_app.desk_findings.MOST_BYTES", 3)
    with pytest.raises(InputError, match="larger than 3 bytes"):
        findings_of(status(findings=path), fake.folder)


@pytest.mark.parametrize("unit", ["score", "share", "count"])
@pytest.mark.parametrize("size", [0.0, -0.0, 0.001, -0.001, -0.00001, 0.00049, 0.5, -0.5, 1.005, -12345.678])
def test_numbers_are_those_of_the_report(unit: str, size: float) -> None:
    theirs = ReportCell(value=size, n=1, clusters=1, method="m", low=size, high=1.0, reason="")
    ours = msgspec.convert(msgspec.to_builtins(theirs), type=Cell)
    assert number(size, unit).replace("−", "-") == report.number(theirs, unit).replace("−", "-")
    assert interval(ours, unit).replace("−", "-") == report.interval(theirs, unit).replace("−", "-")
    assert "-" not in number(size, unit)


def test_a_number_that_is_not_there_says_why() -> None:
    assert value(Cell(None, reason="no label"), "share") == "not estimable: no label"
    assert value(Cell(None), "share") == "not estimable"
    assert interval(Cell(1.0, reason="one cluster"), "score") == "one cluster"
    assert interval(Cell(1.0), "score") == ""


# The page on splits.


def test_every_set_is_shown_with_its_size_state_date_and_hash(store: Store, fake: Fake) -> None:
    fake.says(plan(held_out=HELD), plan(plan="masking", title="Masks", sets=[]))
    sent = said(page("splits"))
    for words in ("sample", "50", "open", "2026-11-01 08:00:00", "12" * 32, "1,030", "locked away", "34" * 32):
        assert words in sent
    assert "Held out: calibrating, round 1 of 2. Opened never." in sent
    assert "2 plans, 1 with pairs that are drawn." in sent
    assert "No pair is drawn yet." in sent


def test_a_second_opening_is_said_loudly(store: Store, fake: Fake) -> None:
    fake.says(plan(held_out={**HELD, "state": "opened", "openings": 2}))
    bodies = [str(element.proto.body) for element in page("splits").get("html")]
    (loud,) = [body for body in bodies if 'role="alert"' in body]
    assert "The held-out set was opened 2 times." in loud
    fake.says(plan(held_out={**HELD, "state": "scored", "openings": 1}))
    again = page("splits")
    again.button(key="refresh").click().run()
    assert 'role="alert"' not in shown(again)
    assert "Held out: scored. Opened once." in said(again)


def test_splits_show_nothing_of_what_was_found(store: Store, fake: Fake) -> None:
    fake.says(plan(findings=fake.finds(), problems=["kappa 0.55"], document="kappa 0.66"))
    sent = shown(page("splits"))
    for words in ("0.55", "0.66", "−0.08", "62.5%", "agrees as people"):
        assert words not in sent


@pytest.mark.parametrize("state", ["frozen", "opened", "scored"])
def test_the_states_of_held_out_pairs(state: str) -> None:
    assert held_out(HeldOut(state, 2, 2)) == state
    assert [times(number) for number in range(3)] == ["never", "once", "2 times"]


# The page on plans.


def test_a_plan_is_shown_with_its_standing(store: Store, fake: Fake) -> None:
    fake.says(plan(reached=88))
    found = page("plans")
    sent = said(found)
    for words in ("88", "of 100 planned", LOCK, "2026-11-30 12:00:00", "Not anchored outside.", "Do judges agree"):
        assert words in sent
    assert "width:88%" in shown(found)
    assert "What is **planned**." in found.markdown[0].value
    assert not found.markdown[0].allow_html


def test_anchors_and_problems_are_said(store: Store, fake: Fake) -> None:
    fake.says(plan(anchored=["a letter", "a journal"], problems=["the sample was changed"]))
    fake.rules(status=(1, ""))
    sent = said(page("plans"))
    assert "Anchored outside: a letter; a journal" in sent
    assert "the sample was changed" in sent


def test_what_is_wrong_with_all_plans_is_said_whichever_is_shown(store: Store, fake: Fake) -> None:
    fake.says(plan(), problems=["a lock is missing in between"])
    fake.rules(status=(1, ""))
    assert "a lock is missing in between" in said(page("plans"))
    assert "a lock is missing in between" not in said(page("splits"))


def test_this_projects_plan_comes_first_and_another_can_be_chosen(store: Store, fake: Fake) -> None:
    fake.says(plan(), plan(plan="own", title="Own", project="first", question="Own question?"))
    found = page("plans")
    assert found.selectbox(key=CHOSEN).value == "own"
    found.selectbox(key=CHOSEN).set_value("blind-study").run()
    assert "Do judges agree with people?" in said(found)
    assert "Own question?" not in said(found)


def test_a_name_that_no_plan_has_is_never_run(store: Store, fake: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    fake.says(plan())
    monkeypatch.setattr(plans_page.st, "selectbox", lambda *_, **__: "--help")
    found = page("plans")
    found.button(key=RUN).click().run()
    ended(shared_analyst())
    assert [asked[2] for asked in fake.asked if asked[1] == "run"] == ["blind-study"]


@pytest.mark.parametrize(
    ("state", "reason"),
    [
        ({"state": "sampled", "lock": ""}, "once the plan is locked"),
        ({"state": "locked", "lock": ""}, "once the plan is locked"),
        ({"reached": 99}, "99 of 100 planned so far"),
        ({"reached": None}, "none of 100 planned so far"),
        ({"plan": "--help"}, "once the plan is locked"),
        ({"plan": "a/../b"}, "once the plan is locked"),
        ({"project": "first"}, "once first is closed"),
    ],
)
def test_the_analysis_waits_and_says_for_what(store: Store, fake: Fake, state: Any, reason: str) -> None:
    fake.says(plan(**state))
    found = page("plans")
    assert found.button(key=RUN).disabled
    assert reason in said(found)
    found.button(key=RUN).proto.disabled = False  # a browser can send what its button does not
    found.button(key=RUN).click().run()
    assert all(asked[1] == "status" for asked in fake.asked)


def test_a_plan_that_counts_no_labels_waits_for_its_lock_alone() -> None:
    assert why_not(status(planned=None, reached=None), False, Analysis()) == ""
    assert "other is running" in why_not(status(), False, Analysis("other", running=True))


def test_the_analysis_runs_and_its_findings_appear(store: Store, fake: Fake) -> None:
    fake.says(plan())
    fake.rules(after=told(plan(state="reported", findings=fake.finds(), report="validations/index.html")))
    found = page("plans")
    assert "Confirmatory findings" not in said(found)
    found.button(key=RUN).click().run()
    ended(shared_analyst())
    found.button(key="refresh").click().run()
    sent = said(found)
    for words in (
        "The analysis has ended. findings.json: 3 results",
        "Confirmatory findings",
        "glm-4.7",
        "−0.08",
        "[−0.20, 0.04] jackknife",
        "[−0.22, 0.05] percentile",
        "62.5%",
        "[50.0%, 75.0%]",
        "not estimable: one annotator alone",
        "holds glm-4.7: The judge agrees as people do. Rule: low > -0.1.",
        "Two pairs were left outWhy: broken text (2026-11-30 12:00:00 UTC)",
        "Intervals are made by a jackknife.",
        "The whole report: validations/index.html",
    ):
        assert words in sent, words
    assert sent.index("Confirmatory findings") < sent.index("gap by title primary")
    assert sent.index("gap by title primary") < sent.index("Exploratory results") < sent.index("topics by title explor")


def test_an_analysis_that_runs_is_shown_with_its_last_line(store: Store, fake: Fake) -> None:
    fake.says(plan(), plan(plan="other", title="Other"))
    fake.shut()
    found = page("plans")
    found.button(key=RUN).click().run()
    shared_analyst().wait(lambda now: now.said != "")
    found.run()
    assert "The analysis of blind-study is running" in said(found)
    assert "read 88 labels" in said(found)
    assert found.button(key=RUN).disabled
    found.selectbox(key=CHOSEN).set_value("other").run()
    assert "The analysis of blind-study is running" in said(found)
    fake.let_go()
    ended(shared_analyst())
    found.run()
    assert "has ended" not in said(found)
    assert not found.button(key=RUN).disabled


def test_an_analysis_that_failed_says_so(store: Store, fake: Fake) -> None:
    fake.says(plan())
    fake.rules(run=(2, "polibias: elsewhere is still open\n"))
    found = page("plans")
    found.button(key=RUN).click().run()
    ended(shared_analyst())
    found.run()
    assert "polibias: elsewhere is still open" in said(found)


def test_nothing_is_found_before_this_project_is_closed(store: Store, fake: Fake) -> None:
    fake.says(plan(project="first", state="reported", findings=fake.finds()))
    found = page("plans")
    assert "−0.08" not in said(found)
    close(store)
    found.run()
    assert "−0.08" in said(found)


def test_stale_findings_are_not_shown(store: Store, fake: Fake) -> None:
    fake.says(plan(findings=fake.finds(lock=OTHER)))
    sent = said(page("plans"))
    assert "computed under another lock" in sent
    assert "−0.08" not in sent


def test_a_rehearsal_is_no_finding(store: Store, fake: Fake) -> None:
    fake.says(plan(findings=fake.finds(kind="rehearsal", deviations=[], methods="", results=[])))
    sent = said(page("plans"))
    assert "Confirmatory" not in sent
    assert "This is a rehearsal." in sent
    assert "None were recorded." in sent


@pytest.mark.parametrize("name", ["splits", "plans"])
def test_what_polibias_says_instead_of_a_status_is_shown(store: Store, fake: Fake, name: str) -> None:
    fake.rules(status=(2, "polibias: prereg: no such folder\n"))
    found = page(name)
    assert "polibias: prereg: no such folder" in said(found)
    fake.rules()
    found.button(key="refresh").click().run()
    assert "There are no plans." in said(found)


def test_hostile_words_stay_words(store: Store, fake: Fake) -> None:
    """Nothing that came from a file is an element of the page, or Markdown outside the plan's own document."""
    odd = result("gap", "primary", title=HOSTILE)
    odd["table"].update(title=HOSTILE, caption=HOSTILE)
    odd["table"]["rows"][0]["keys"] = {"judge": HOSTILE}
    odd["table"]["rows"][0]["cells"]["none"] = cell(None, reason=HOSTILE)
    odd["decisions"][0].update(said=HOSTILE, outcome=HOSTILE)
    path = fake.finds(results=[odd, result("other", HOSTILE)], methods=HOSTILE, deviations=[{"what": HOSTILE}])
    sets = [{"name": HOSTILE, "pairs": 1, "hash": HOSTILE, "at": HOSTILE, "state": HOSTILE}]
    words = dict.fromkeys(("title", "question", "locked_at", "report"), HOSTILE)
    fake.says(plan(**words, sets=sets, findings=path, problems=[HOSTILE], anchored=[HOSTILE], document=""))
    for name in ("splits", "plans"):
        found = page(name)
        bodies = "".join(str(element.proto.body) for element in found.get("html"))
        assert "&lt;b id=" in bodies
        assert "<b id" not in bodies
        assert "<script" not in bodies
        assert not [one for one in found.markdown if "stars" in one.value]
        assert [one.value for one in found.title] == [f"first: {name}"]


def test_the_headings_of_a_document_are_lowered() -> None:
    given = "# a\n## b\n##### c\n#d\n```\n# e\n~~~\n```\n# f\n~~~~\n# g\n~~~~~\n#\n"
    wanted = "### a\n#### b\n###### c\n#d\n```\n# e\n~~~\n```\n### f\n~~~~\n# g\n~~~~~\n###\n"
    assert lower_headings(given) == wanted


def test_serve_hands_on_absolute_folders(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from annotate_app.cli import parser

    monkeypatch.chdir(tmp_path)
    make_project(tmp_path, SHORT, MODELS[:1])
    served: list[Any] = []
    monkeypatch.setattr("annotate_app.serve.serve", lambda *given: served.append(given[-1]))
    for words in (["--desk", "--prereg", "plans"], ["--prereg", "plans"]):
        options = parser().parse_args(["serve", "first", *words])
        options.command(options)
    desk, annotators = served
    assert desk == (Path("plans"), Path("runs"), Path("validations"), tmp_path)
    assert annotators is None
    kept: dict[str, str] = {settings.FOLDER + "RUNS": "stray", "HOME": "x"}
    monkeypatch.setattr(settings.os, "environ", kept)
    monkeypatch.setattr(settings.os, "chdir", lambda _: None)
    settings.stand_apart(tmp_path / "blind.db")
    assert not [name for name in kept if name.startswith(settings.FOLDER)]
    settings.stand_apart(tmp_path / "blind.db", folders=desk)
    assert json.dumps(settings.folders()._asdict(), default=str) == json.dumps(
        {"prereg": f"{tmp_path}/plans", "runs": f"{tmp_path}/runs", "validations": f"{tmp_path}/validations"}
        | {"start": str(tmp_path)}
    )
