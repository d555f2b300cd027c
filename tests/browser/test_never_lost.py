"""Reloads, double clicks, tabs and devices: nothing lost, nothing doubled, nothing misplaced."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, expect

from tests.app.conftest import SHORT, SMALL
from tests.browser.conftest import PHONE, Server, new_context, serving
from tests.browser.desk import YES, Desk, again, enter
from tests.browser.material import PRACTICE_FEEDBACK, everything
from tests.browser.truth import events, kinds, presentations, query, sheets, states

pytestmark = pytest.mark.browser

TWO_CLICKS = "(button, gap) => { button.click(); setTimeout(() => button.click(), gap); }"
GAPS = (0, 30, 60, 120, 200)
SOME_GAPS = (0, 60, 200)


@pytest.fixture(scope="module")
def gated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """An app with terms and practice before three pairs."""
    with serving(
        tmp_path_factory.mktemp("gated"), SHORT, rubric=SMALL, protocol=everything("tone", 0, 0, 0.0)
    ) as server:
        yield server


def twice(button: Locator, gap: int) -> None:
    """Two clicks on the same button, so many milliseconds apart."""
    expect(button).to_be_enabled()
    button.evaluate(TWO_CLICKS, gap)


def assents(desk: Desk) -> list[tuple[str, str]]:
    sql = "SELECT t.term, t.answer FROM assent t JOIN annotator a ON a.id = t.annotator_id WHERE a.name = ?"
    return query(desk.server, sql, desk.name)


def test_a_reload_at_every_step_changes_nothing(context: BrowserContext, gated: Server) -> None:
    """From the terms to the last page: the same place, everything that was saved back, and no row more."""
    desk = enter(context, gated, "reloader")
    page = desk.page
    expect(desk.heading).to_have_text("Before you begin")
    page.reload()
    desk.agree()
    desk.at(1, 1, practice=True)
    page.reload()
    desk.at(1, 1, practice=True)
    desk.fill(2, 1)
    page.reload()
    desk.at(1, 1, practice=True)
    desk.saved(2)
    desk.submit()
    expect(page.get_by_text(PRACTICE_FEEDBACK)).to_be_visible()
    page.reload()
    for position in range(1, len(SHORT) + 1):
        desk.at(position)
        stepwise(desk, position)
        before = states(gated, desk.name), presentations(gated, desk.name)
        page.reload()
        desk.at(position)
        desk.saved(2)
        assert (states(gated, desk.name), presentations(gated, desk.name)) == before
        desk.submit()
    desk.thanked()
    page.reload()
    desk.thanked()
    assert [one.state for one in sheets(gated, desk.name)] == ["submitted"] * (1 + len(SHORT))
    assert len(assents(desk)) == 3
    told = kinds(gated, desk.name)
    assert [told.count(kind) for kind in ("agreed", "practised", "submitted")] == [3, 1, 1 + len(SHORT)]


def stepwise(desk: Desk, position: int) -> None:
    """Answer a pair with a reload after every card; a comment comes back too."""
    for number, title in enumerate(desk.titles, start=1):
        value = (number + position) % 3
        desk.score(title, value)
        desk.favour(title, number % 3 + 1)
        desk.saved(number)
        if position == 1:
            desk.page.reload()
            desk.at(position)
            desk.shows(title, value, number % 3 + 1)
    if position == 1:
        desk.unfold("Depth")
        desk.comment("Depth").fill("half-way")
        desk.comment("Depth").blur()
        expect(desk.page.get_by_text("Evidence and comment: Depth (1)")).to_be_visible()
        desk.page.reload()
        desk.at(position)
        desk.unfold("Depth")
        expect(desk.comment("Depth")).to_have_value("half-way")


def test_ten_reloads_in_a_row_stay_where_they_are(context: BrowserContext, server: Server) -> None:
    desk = enter(context, server, "impatient")
    desk.at(1)
    desk.score("Tone", 2)
    desk.favour("Tone", 2)
    desk.saved(1)
    before = sheets(server, desk.name), presentations(server, desk.name)
    for _ in range(10):
        desk.page.reload(wait_until="domcontentloaded")
    desk.at(1)
    desk.shows("Tone", 2, 2)
    desk.shows("Depth", None, None)
    assert (sheets(server, desk.name), presentations(server, desk.name)) == before


@pytest.mark.parametrize("gap", GAPS)
def test_a_double_click_submits_once_and_leaves_the_next_pair_alone(
    context: BrowserContext, server: Server, gap: int
) -> None:
    desk = enter(context, server, f"double-{gap}")
    desk.at(1)
    desk.fill(2, 2)
    twice(desk.submit_button, gap)
    desk.at(2)
    expect(desk.page.get_by_text("Pair 1 is submitted and saved.")).to_be_visible()
    desk.shows("Tone", None, None)
    desk.score("Tone", 1)
    desk.saved(0)
    assert states(server, desk.name) == [(1, 1, "submitted"), (2, 1, "draft")]
    assert kinds(server, desk.name).count("submitted") == 1
    assert [one.score("tone")[0] for one in sheets(server, desk.name)] == ["2", "1"]


@pytest.mark.parametrize("gap", SOME_GAPS)
def test_a_double_click_skips_one_pair_only(context: BrowserContext, server: Server, gap: int) -> None:
    desk = enter(context, server, f"skip-{gap}")
    desk.at(1)
    desk.aside()
    desk.choose("Skip it because", "Another reason")
    expect(desk.page.get_by_role("option")).to_have_count(0)
    desk.calm()
    twice(desk.page.get_by_role("button", name="Skip this pair"), gap)
    desk.at(2)
    desk.score("Tone", 1)
    desk.saved(0)
    assert states(server, desk.name) == [(1, 1, "skipped"), (2, 1, "draft")]
    assert kinds(server, desk.name) == ["skipped", "draft"]


@pytest.mark.parametrize("gap", SOME_GAPS)
def test_double_clicks_on_the_way_in_are_one_click_each(context: BrowserContext, gated: Server, gap: int) -> None:
    """On Continue under the terms, on Submit of a practice pair, on the button under its feedback."""
    desk = enter(context, gated, f"eager-{gap}")
    expect(desk.heading).to_have_text("Before you begin")
    for words in YES:
        desk.page.get_by_text(words, exact=True).click()
    desk.calm()
    twice(desk.page.get_by_role("button", name="Continue"), gap)
    desk.at(1, 1, practice=True)
    desk.fill(2, 1)
    twice(desk.submit_button, gap)
    twice(desk.page.get_by_role("button", name="Begin with the pairs"), gap)
    desk.at(1)
    desk.score("Tone", 0)
    desk.saved(0)
    assert assents(desk) == [("consent", "yes"), ("content", "yes"), ("statement", "yes")]
    assert states(gated, desk.name) == [(1, 1, "submitted"), (2, 1, "draft")]
    told = kinds(gated, desk.name)
    assert [told.count(kind) for kind in ("agreed", "practised", "submitted")] == [3, 1, 1]


def test_a_double_click_reports_once(context: BrowserContext, server: Server) -> None:
    desk = enter(context, server, "reporter")
    desk.at(1)
    desk.aside()
    desk.choose("Report that", "A text calls for harm")
    expect(desk.page.get_by_role("option")).to_have_count(0)
    desk.calm()
    twice(desk.page.get_by_role("button", name="Report it and stay here"), 120)
    expect(desk.page.get_by_text("Your report is saved.")).to_be_visible()
    desk.score("Tone", 1)
    desk.saved(0)
    assert kinds(server, desk.name) == ["flagged", "draft"]


def test_two_real_clicks_in_a_row_submit_once(context: BrowserContext, server: Server) -> None:
    desk = enter(context, server, "real-double")
    desk.at(1)
    desk.fill()
    desk.submit_button.dblclick(delay=30)
    desk.at(2)
    assert states(server, desk.name) == [(1, 1, "submitted")]


def test_words_typed_right_before_the_submission_belong_to_it(context: BrowserContext, server: Server) -> None:
    """The field is left by the very click on Submit."""
    desk = enter(context, server, "writer")
    desk.at(1)
    desk.fill()
    desk.page.get_by_label("Comment on the pair (optional)").fill("last words")
    desk.submit()
    desk.at(2)
    assert [one.comments for one in sheets(server, desk.name)] == [{"": "last words"}]


def test_two_windows_cannot_submit_the_same_pair_twice(context: BrowserContext, server: Server) -> None:
    desk = enter(context, server, "two-windows")
    desk.at(1)
    other = again(desk, context)
    other.at(1)
    desk.page.bring_to_front()
    desk.fill(2, 1)
    desk.submit()
    desk.at(2)
    other.page.bring_to_front()
    other.score("Tone", 1)
    other.at(2)
    expect(other.page.get_by_text("in another window")).to_be_visible()
    assert [one.score("tone")[0] for one in sheets(server, desk.name)] == ["2"]
    assert states(server, desk.name) == [(1, 1, "submitted")]


def test_two_windows_that_submit_at_once_submit_once(context: BrowserContext, server: Server) -> None:
    """Neither has seen the other; both clicks are sent before either is answered."""
    desk = enter(context, server, "at-once")
    desk.at(1)
    desk.fill(1, 2)
    other = again(desk, context)
    other.at(1)
    other.saved(2)
    for one in (desk, other):
        one.submit_button.evaluate("button => button.click()")
    for one in (desk, other):
        one.at(2)
    assert states(server, desk.name) == [(1, 1, "submitted")]
    assert kinds(server, desk.name).count("submitted") == 1


def test_a_second_device_goes_on_where_the_first_stopped(
    browser: Browser, context: BrowserContext, server: Server
) -> None:
    link = server.invite("traveller")
    phone = new_context(browser, PHONE)
    for where in (context.new_page(), phone.new_page()):
        where.goto(link)
        where.get_by_role("button", name="Start").click()
        desk = Desk(where, server, "traveller")
        desk.at(1)
        if where.context is phone:
            desk.shows("Tone", 2, None)
        else:
            desk.score("Tone", 2)
            desk.saved(0)
    assert [kind for kind, _ in events(server, "traveller")].count("redeemed") == 2
    assert states(server, "traveller") == [(1, 1, "draft")]
    phone.close()


def test_a_finished_study_can_be_looked_at_and_revised(context: BrowserContext, server: Server) -> None:
    desk = enter(context, server, "reviser")
    for position in range(1, len(SHORT) + 1):
        desk.at(position)
        desk.fill()
        desk.submit()
    desk.thanked()
    desk.choose("Look at a pair again", "Pair 2")
    desk.at(2)
    expect(desk.page.get_by_text("You have submitted this pair.")).to_be_visible()
    desk.score("Tone", 1)
    expect(desk.page.get_by_text("The changes count once you submit them.")).to_be_visible()
    desk.page.reload()
    desk.at(2)
    desk.shows("Tone", 1, 1)
    desk.submit()
    desk.thanked()
    assert states(server, desk.name) == [
        (1, 1, "submitted"),
        (2, 1, "submitted"),
        (2, 2, "submitted"),
        (3, 1, "submitted"),
    ]
    assert kinds(server, desk.name).count("revised") == 1


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
    assert [one.score("tone")[0] for one in sheets(server, desk.name)] == ["2"]
