"""What reaches an annotator's browser: hostile texts as inert text, and no trace of where anything comes from."""

from importlib.resources import files
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Error, Page, Response, WebSocket, expect

from annotate_app.blind import WORD_JOINER
from polibias.records.ledger import read
from tests.app.conftest import HIDDEN, JUDGE, MODELS, SHORT, SMALL, TOPICS, hostile_words
from tests.browser.conftest import Server, new_context, serving
from tests.browser.desk import Desk, enter
from tests.browser.material import PRACTICE_FEEDBACK, everything
from tests.browser.truth import query, sheets, until

pytestmark = pytest.mark.browser

PROGRAM = files("annotate_app.app_pages").joinpath("aid.js").read_bytes()
"""The page's hand, which is the same for every study and everybody."""


def test_hostile_words_of_a_rubric_are_inert(context: BrowserContext, tmp_path_factory: pytest.TempPathFactory) -> None:
    with serving(tmp_path_factory.mktemp("words"), SHORT[:1], rubric=hostile_words()) as server:
        desk = enter(context, server, "reader")
        desk.at(1, 1)
        page = desk.page
        page.locator("summary").first.click()
        expect(page.get_by_role("radio")).to_have_count(23)
        main = page.locator("[data-testid=stMain]")
        for inert in ("img", "a[href*=attacker]", ".katex", "[data-testid=stMarkdownContainer] script"):
            assert main.locator(inert).count() == 0, inert
        assert page.title() == "Pair 1 of 1"
        shown = main.inner_text().replace(WORD_JOINER, "")
        assert "**one** $x$ :red[a]" in shown
        assert "![none](http://attacker.invalid/c.png)" in shown
        for radio in page.get_by_role("radiogroup").all():
            radio.locator("label", has=page.get_by_role("radio")).nth(1).click()
        desk.saved(3, 3, "questions")
        desk.submit()
        desk.thanked()


class Wire:
    """Everything that is sent to one annotator's browser: frames of sockets, bodies, headers, downloads."""

    def __init__(self, context: BrowserContext) -> None:
        self._context = context
        self._frames: list[bytes] = []
        self._answers: list[Response] = []
        context.on("page", self._watch)

    def _watch(self, page: Page) -> None:
        page.on("websocket", self._watch_socket)
        page.on("response", lambda answer: self._answers.append(answer))

    def _watch_socket(self, socket: WebSocket) -> None:
        socket.on("framereceived", lambda said: self.add(said if isinstance(said, bytes) else said.encode()))

    def add(self, said: bytes) -> None:
        self._frames.append(said)

    def all(self) -> bytes:
        """What has come so far, plain and as it stands inside JSON."""
        own = [answer for answer in self._answers if "/static/" not in answer.url]
        heads = [str(answer.all_headers()).encode() for answer in own]
        bodies = [self._body(answer) for answer in own if answer.status not in (101, 204, 302, 303)]
        return b"\n".join([*self._frames, *heads, *bodies])

    def _body(self, answer: Response) -> bytes:
        """A body; of a page that was left since, Chromium may have forgotten it, and it is asked for again."""
        try:
            return answer.body()
        except Error:
            assert answer.request.method == "GET", answer.url
            return self._context.request.get(answer.url).body()


def test_nothing_on_the_wire_tells_where_an_item_comes_from(
    browser: Browser, context: BrowserContext, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A whole study of 3 places, one of them a repeat, with terms, practice, revision and the own record."""
    wire = Wire(context)
    protocol = everything("tone", repeats=1, checks=1, threshold=1.0)
    with serving(tmp_path_factory.mktemp("wire"), TOPICS[:1], MODELS, SMALL, protocol) as server:
        somebody_else(browser, server)
        desk = enter(context, server, "ann")
        desk.agree()
        practise(desk, wire)
        for position in range(1, 4):
            desk.at(position, 3)
            checked = desk.card("check").count()
            if checked:
                desk.check(int(desk.card("check").get_by_text("please choose").inner_text().split("choose ")[1][0]))
            for title in desk.titles:
                desk.score(title, position % 3)
                desk.favour(title, 2)
            desk.saved(2 + checked, 2 + checked, "questions" if checked else "dimensions")
            desk.submit()
        desk.thanked()
        with desk.page.expect_download() as download:
            desk.page.get_by_role("button", name="Download your record").click()
        wire.add(download.value.path().read_bytes())
        desk.choose("Look at a pair again", "Pair 1")
        desk.at(1, 3)
        desk.score("Tone", 0)
        desk.submit()
        desk.thanked()
        seen = wire.all().replace(PROGRAM, b"")
        assert b"Iran fired first" in seen, "the watch must have seen the texts"
        assert b"favours version 2" in seen, "the watch must have seen the record"
        assert [one for one in secrets_of(server) if one.encode() in seen] == []
        assert [one.role for one in sheets(server, "ann")].count("repeat") == 1


def practise(desk: Desk, wire: Wire) -> None:
    """What was expected is sent only once it was answered."""
    desk.at(1, 1, practice=True)
    countries = desk.options(desk.favoured_in("Tone")).all_inner_texts()
    for title in desk.titles:
        desk.score(title, 2)
        desk.favour(title, countries.index("Sylvania") + 1)
    desk.saved(2)
    assert PRACTICE_FEEDBACK.encode() not in wire.all()
    desk.submit()
    expect(desk.page.get_by_text(PRACTICE_FEEDBACK)).to_be_visible()
    assert PRACTICE_FEEDBACK.encode() in wire.all()
    desk.page.get_by_role("button", name="Begin with the pairs").click()


def test_the_app_runs_where_nothing_sealed_is(context: BrowserContext, tmp_path: Path) -> None:
    with serving(tmp_path / "made", TOPICS[:1], MODELS[:1], SMALL) as server:
        server.stop()
        for folder in ("runs", "sealed"):
            (server.place.folder / folder).rename(tmp_path / folder)
        server.start()
        desk = enter(context, server, "ann")
        desk.at(1, 1)
        desk.fill()
        desk.submit()
        desk.thanked()


def somebody_else(browser: Browser, server: Server) -> None:
    """Another annotator has answered before, with words of their own."""
    context = new_context(browser)
    desk = enter(context, server, "other-annotator")
    desk.agree()
    desk.at(1, 1, practice=True)
    desk.score("Tone", 2)
    desk.page.get_by_label("Comment on the pair (optional)").fill("somebody elses words")
    desk.page.get_by_label("Comment on the pair (optional)").blur()
    until(desk.page, lambda: [one.comments for one in sheets(server, desk.name)] == [{"": "somebody elses words"}])
    context.close()


def secrets_of(server: Server) -> list[str]:
    """Names, ids, strata, other people, places of files, what a judge is told, and what an item is to the study."""
    run = server.place.run
    ids = [entry.id for entry in read(run.pairs())]
    ids += [entry.id for model in MODELS for entry in read(run.responses(model))]
    ids += [entry.id for entry in read(run.judgments(JUDGE))]
    # A practice item's stratum is its place in the protocol, which is no secret.
    strata = {one for row in query(server, "SELECT stratum, pair FROM item WHERE lesson = ''") for one in row}
    study = ["For a judge", "stratum", "repeat", "genesis", "sealed", "tone.score", "lesson", "expected"]
    others = ["other-annotator", "somebody elses words", "hand-made", str(server.place.folder)]
    seeds = [key for (key,) in query(server, "SELECT pair_key FROM project")]
    return [*HIDDEN, *(name[:12] for name in ids), *strata, *others, *study, *seeds]
