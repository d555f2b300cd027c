"""A blind study in a real browser: nothing lost, nothing doubled, nothing misplaced."""

import csv
import signal
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, expect
from sqlmodel import col, select

from annotate_app.questions import Entry
from annotate_app.schema import Event
from tests.app.conftest import EVEN, RUBRIC, SHORT, SMALL, answers_to
from tests.browser.conftest import Desk, Server, enter, serving

pytestmark = pytest.mark.browser


@pytest.fixture
def own_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """An app that a test may kill."""
    with serving(tmp_path_factory.mktemp("own"), SHORT, rubric=SMALL) as server:
        yield server


@pytest.fixture
def full_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """An app with the project's own rubric."""
    with serving(tmp_path_factory.mktemp("full"), SHORT) as server:
        yield server


def entry(desk: Desk, position: int) -> Entry:
    return desk.server.store.view(desk.server.store.places(desk.number)[position - 1]).entry


def stored(desk: Desk, position: int) -> dict[str, tuple[int | None, str | None]]:
    """Score and favoured side of every dimension."""
    said = entry(desk, position)
    return {name: answers_to(said, name) for name in desk.server.store.rubric.dimension_ids}


def kinds(desk: Desk) -> list[str]:
    """What the event chain tells of this annotator, opened pages left out."""
    with desk.server.store.reading() as session:
        query = select(Event.kind).where(Event.annotator == desk.name).order_by(col(Event.number))
        return [kind for kind in session.exec(query).all() if kind not in ("opened", "invited", "redeemed")]


def test_a_reload_brings_every_choice_back(context: BrowserContext, full_server: Server) -> None:
    desk = enter(context, full_server, "reloader")
    desk.at(1)
    desk.score("Framing", 3)
    desk.favour("Framing", 2)
    desk.score("Severity", 0)
    desk.page.get_by_label("Comment (optional)").fill("half-way")
    desk.score("Argument", 1)
    desk.saved(2)
    desk.page.reload()
    desk.at(1)
    expect(desk.score_of("Framing").get_by_role("radio").nth(3)).to_be_checked()
    expect(desk.favoured_in("Framing").get_by_role("radio").nth(1)).to_be_checked()
    expect(desk.score_of("Severity").get_by_role("radio").nth(0)).to_be_checked()
    expect(desk.favoured_in("Severity").get_by_role("radio").nth(0)).to_be_disabled()
    expect(desk.score_of("Argument").get_by_role("radio").nth(1)).to_be_checked()
    expect(desk.favoured_in("Argument").locator("input:checked")).to_have_count(0)
    expect(desk.page.get_by_label("Comment (optional)")).to_have_value("half-way")
    expect(desk.score_of("Responsibility").locator("input:checked")).to_have_count(0)


def test_a_killed_server_loses_no_click(context: BrowserContext, own_server: Server) -> None:
    desk = enter(context, own_server, "survivor")
    desk.at(1)
    desk.fill(2, 2)
    own_server.stop()
    own_server.start()
    desk.page.reload()
    desk.at(1)
    desk.saved(2)
    for title in desk.titles:
        expect(desk.score_of(title).get_by_role("radio").nth(2)).to_be_checked()
    desk.submit()
    desk.at(2)
    assert {score for score, _ in stored(desk, 1).values()} == {2}


def test_a_window_left_open_over_a_restart_goes_on(context: BrowserContext, own_server: Server) -> None:
    """It reconnects by itself, and its next click counts although the new server has never drawn this page."""
    desk = enter(context, own_server, "patient")
    desk.at(1)
    desk.score("Tone", 1)
    desk.favour("Tone", 1)
    desk.score("Depth", 1)
    desk.saved(1)
    restart(desk)
    desk.score("Tone", 2)
    desk.favour("Depth", 1)
    desk.saved(2)
    assert {name: score for name, (score, _) in stored(desk, 1).items()} == {"tone": 2, "depth": 1}
    restart(desk)
    desk.submit()
    desk.at(2)
    assert {name: score for name, (score, _) in stored(desk, 1).items()} == {"tone": 2, "depth": 1}


def restart(desk: Desk) -> None:
    """Kill the server, start it again, and wait until the open window has found it."""
    desk.server.stop()
    with desk.page.expect_websocket():
        desk.server.start()
    expect(desk.submit_button).to_be_enabled()


@pytest.mark.parametrize("gap", [0, 60, 120, 200])
def test_a_double_click_submits_once_and_leaves_the_next_pair_alone(
    context: BrowserContext, server: Server, gap: int
) -> None:
    desk = enter(context, server, f"double-{gap}")
    desk.at(1)
    desk.fill(2, 2)
    button = desk.submit_button
    button.evaluate("(button, gap) => { button.click(); setTimeout(() => button.click(), gap); }", gap)
    desk.at(2)
    expect(desk.page.get_by_text("Pair 1 is submitted and saved.")).to_be_visible()
    desk.score("Tone", 1)
    desk.saved(0)
    row = server.store.places(desk.number)
    assert [place.submitted for place in row] == [1, 0, 0]
    assert kinds(desk).count("submitted") == 1
    assert kinds(desk).count("revised") == 0
    assert stored(desk, 2) == {"tone": (1, None), "depth": (None, None)}


def test_two_real_clicks_in_a_row_submit_once(context: BrowserContext, server: Server) -> None:
    desk = enter(context, server, "real-double")
    desk.at(1)
    desk.fill()
    desk.submit_button.dblclick(delay=30)
    desk.at(2)
    assert [place.submitted for place in server.store.places(desk.number)] == [1, 0, 0]


def test_a_new_pair_begins_at_its_heading(context: BrowserContext, server: Server) -> None:
    desk = enter(context, server, "reader")
    desk.at(1)
    desk.fill()
    desk.submit()
    desk.at(2)
    heading = desk.page.get_by_role("heading", level=1)
    expect(heading).to_be_focused()
    expect(heading).to_be_in_viewport()


def test_two_windows_cannot_submit_the_same_pair_twice(context: BrowserContext, server: Server) -> None:
    desk = enter(context, server, "two-windows")
    desk.at(1)
    other = Desk(context.new_page(), server, desk.name)
    other.page.goto(server.url)
    other.at(1)
    desk.page.bring_to_front()
    desk.fill(2, 1)
    desk.submit()
    desk.at(2)
    other.page.bring_to_front()
    other.score("Tone", 1)
    other.at(2)
    expect(other.page.get_by_text("in another window")).to_be_visible()
    assert stored(desk, 1)["tone"][0] == 2
    assert [place.submitted for place in server.store.places(desk.number)] == [1, 0, 0]


def test_a_second_device_goes_on_where_the_first_stopped(
    browser: Browser, context: BrowserContext, server: Server
) -> None:
    page = context.new_page()
    link = server.invite("traveller")
    for where in (page, browser.new_context(viewport={"width": 360, "height": 740}).new_page()):
        where.goto(link)
        where.get_by_role("button", name="Start").click()
        desk = Desk(where, server, "traveller")
        desk.at(1)
        if where is page:
            desk.score("Tone", 2)
            desk.saved(0)
        else:
            expect(desk.score_of("Tone").get_by_role("radio").nth(2)).to_be_checked()
            assert where.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
            where.context.close()


def test_a_whole_study_exports_what_was_entered(context: BrowserContext, full_server: Server) -> None:
    desk = enter(context, full_server, "ann")
    entered = {}
    for position in range(1, len(SHORT) + 1):
        desk.at(position)
        for number, title in enumerate(desk.titles):
            value, shown = (position + number) % 4, (position * number) % 3 + 1
            desk.score(title, value)
            if value:
                desk.favour(title, shown)
            entered[position, title] = (value, shown)
        desk.saved(len(desk.titles))
        desk.submit_button.press("Enter")
    expect(desk.page.get_by_role("heading", level=1, name="Thank you")).to_be_visible()
    expect(desk.page.get_by_text("all 3 pairs")).to_be_visible()
    full_server.run_command("export", "first")
    names = dict(zip(RUBRIC.dimension_ids, desk.titles, strict=True))
    with (full_server.place.run.annotations_folder / "first.csv").open(encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    assert len(lines) == len(entered)
    for line in lines:
        value, shown = entered[int(line["position"]), names[line["dimension"]]]
        second = "B" if line["first"] == "A" else "A"
        favoured = {1: line["first"], 2: second, 3: "none"}[shown] if value else "none"
        assert (int(line["score"]), line["favoured"]) == (value, favoured), line


def test_a_finished_study_can_be_looked_at_and_revised(context: BrowserContext, server: Server) -> None:
    desk = enter(context, server, "reviser")
    for position in range(1, len(SHORT) + 1):
        desk.at(position)
        desk.fill()
        desk.submit()
    page = desk.page
    page.get_by_role("combobox", name="Look at a pair again").click()
    page.get_by_role("option", name="Pair 2").click()
    desk.at(2)
    expect(page.get_by_text("You have submitted this pair.")).to_be_visible()
    desk.score("Tone", 1)
    expect(page.get_by_text("The changes count once you submit them.")).to_be_visible()
    desk.submit()
    expect(page.get_by_role("heading", level=1, name="Thank you")).to_be_visible()
    assert [place.submitted for place in server.store.places(desk.number)] == [1, 2, 1]
    assert kinds(desk).count("revised") == 1


def test_the_keyboard_alone_is_enough(context: BrowserContext, server: Server) -> None:
    desk = enter(context, server, "typist")
    desk.at(1)
    for title in desk.titles:
        desk.score_of(title).get_by_role("radio").first.focus()
        desk.page.keyboard.press("Space")
        expect(desk.score_of(title).get_by_role("radio").nth(0)).to_be_checked()
        desk.page.keyboard.press("ArrowDown")
        expect(desk.score_of(title).get_by_role("radio").nth(1)).to_be_checked()
        desk.favoured_in(title).get_by_role("radio").first.focus()
        desk.page.keyboard.press("Space")
        expect(desk.favoured_in(title).get_by_role("radio").nth(0)).to_be_checked()
    desk.saved(2)
    desk.submit_button.press("Enter")
    desk.at(2)
    assert {score for score, _ in stored(desk, 1).values()} == {1}


def test_without_a_valid_link_nobody_sees_anything(context: BrowserContext, server: Server) -> None:
    page = context.new_page()
    page.goto(server.url)
    expect(page.get_by_role("heading", name="Please open your personal link")).to_be_visible()
    page.goto(f"{server.url}/invite")
    expect(page.get_by_text("The link is incomplete")).to_be_visible()
    page.goto(f"{server.url}/invite#made-up")
    page.reload()
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_text("This link is not valid, or a newer one")).to_be_visible()


def test_a_newer_link_ends_the_older_visit(context: BrowserContext, server: Server) -> None:
    desk = enter(context, server, "renewed")
    desk.at(1)
    desk.score("Tone", 2)
    desk.saved(0)
    server.invite("renewed")
    desk.score("Tone", 1)
    expect(desk.page.get_by_role("heading", name="Please open your personal link")).to_be_visible()
    assert stored(desk, 1)["tone"][0] == 2


def test_the_server_ends_calmly(own_server: Server) -> None:
    assert own_server.stop(signal.SIGINT) == 0
    assert "Traceback" not in own_server.complaints
    own_server.start()


def test_a_rubric_without_a_scale_is_answered_on_a_phone(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with serving(tmp_path_factory.mktemp("even"), SHORT, rubric=EVEN) as server:
        context = browser.new_context(viewport={"width": 390, "height": 844})
        desk = enter(context, server, "ann")
        first = []
        for position in range(1, len(SHORT) + 1):
            desk.at(position)
            page = desk.page
            assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
            texts = page.get_by_test_id("stText").all_text_contents()
            topic = next(topic for topic in SHORT if topic.texts[0] in texts)
            first.append("A" if texts.index(topic.texts[0]) < texts.index(topic.texts[1]) else "B")
            desk.option("Help: which response helps more?", 2).click()
            for title in ("Counter-perspectives", "Refusal"):
                for number in (1, 2):
                    desk.option(f"{title}: Version {number}", number + 1).click()
            expect(page.get_by_text("Saved: 3 of 3 questions answered.")).to_be_visible()
            desk.submit()
        expect(desk.page.get_by_role("heading", level=1, name="Thank you")).to_be_visible()
        server.run_command("export", "first")
        with (server.place.run.annotations_folder / "first.csv").open(encoding="utf-8") as file:
            lines = list(csv.DictReader(file))
        assert {line["first"] for line in lines} == {"A", "B"}
        for line in lines:
            assert line["first"] == first[int(line["position"]) - 1]
            version = "2" if line["unit"][-1] != line["first"] else "1"
            if line["dimension"] == "helpfulness":
                assert (line["score"], line["favoured"]) == ("", "B" if line["first"] == "A" else "A")
            else:
                assert (line["score"], line["favoured"]) == (str(int(version) + 1), "")
        context.close()
