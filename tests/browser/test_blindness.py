"""What reaches an annotator's browser: hostile texts as inert text, and no trace of where anything comes from."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Response, WebSocket, expect
from sqlmodel import select

from annotate_app.blind import WORD_JOINER
from annotate_app.schema import Item
from polibias.domain.display import visible
from polibias.records.ledger import read
from tests.app.conftest import HIDDEN, HOSTILE, LONG, MODELS, SHORT, SMALL, TOPICS, hostile_words
from tests.browser.conftest import Server, enter, serving

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """An app whose only item is hostile in every text."""
    with serving(tmp_path_factory.mktemp("hostile"), TOPICS[3:]) as server:
        yield server


def test_a_hostile_item_is_inert_and_shown_as_it_is(context: BrowserContext, hostile: Server) -> None:
    asked: list[str] = []

    def watch(page: Page) -> None:
        page.on("request", lambda request: asked.append(request.url))

    context.on("page", watch)
    desk = enter(context, hostile, "reader")
    desk.at(1, 1)
    page = desk.page
    texts = [(element.text_content() or "").strip(WORD_JOINER) for element in page.get_by_test_id("stText").all()]
    assert visible(HOSTILE) in texts
    assert visible(LONG) in texts
    expect(page).to_have_title("Pair 1 of 1")
    assert page.locator("[data-testid=stMain] img").count() == 0
    assert page.locator("[data-testid=stMain] a[href*=attacker]").count() == 0
    assert page.locator("[data-testid=stMain] .katex").count() == 0
    shown = page.locator("[data-testid=stMain]").inner_text().replace(WORD_JOINER, "")
    assert ":red[Ruritania] $a$ <b>x</b>" in shown
    assert "Graustark_*_" in shown
    desk.fill()
    desk.submit()
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
    hosts = {urlsplit(url).netloc for url in asked if urlsplit(url).scheme in ("http", "https", "ws", "wss")}
    assert hosts == {f"127.0.0.1:{hostile.port}"}


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
        expect(page.get_by_text("Saved: 3 of 3 questions answered.")).to_be_visible()
        desk.submit()
        expect(page.get_by_role("heading", name="Thank you")).to_be_visible()


def test_nothing_on_the_wire_tells_where_an_item_comes_from(
    browser: Browser, context: BrowserContext, tmp_path_factory: pytest.TempPathFactory
) -> None:
    frames: list[bytes] = []
    answers: list[Response] = []

    def watch_socket(socket: WebSocket) -> None:
        socket.on("framereceived", lambda frame: frames.append(frame if isinstance(frame, bytes) else frame.encode()))

    def watch(page: Page) -> None:
        page.on("websocket", watch_socket)
        page.on("response", lambda answer: answers.append(answer))

    with serving(tmp_path_factory.mktemp("wire"), TOPICS[:1], MODELS, SMALL) as server:
        somebody_else(browser, server)
        context.on("page", watch)
        desk = enter(context, server, "ann")
        for position in range(1, 3):
            desk.at(position, 2)
            desk.fill(position % 3, 2)
            desk.submit()
        expect(desk.page.get_by_role("heading", name="Thank you")).to_be_visible()
        own = [answer for answer in answers if "/static/" not in answer.url]
        frames += [context.request.get(answer.url).body() for answer in own]
        frames += [str(answer.all_headers()).encode() for answer in own]
        wire = b"\n".join(frames)
        assert b"Iran fired first" in wire, "the watch must have seen the texts"
        for secret in secrets_of(server):
            assert secret.encode() not in wire, secret


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
        expect(desk.page.get_by_role("heading", name="Thank you")).to_be_visible()


def somebody_else(browser: Browser, server: Server) -> None:
    """Another annotator has answered before."""
    context = browser.new_context()
    desk = enter(context, server, "other-annotator")
    desk.at(1, 2)
    desk.score("Tone", 2)
    desk.saved(0)
    context.close()


def secrets_of(server: Server) -> list[str]:
    """Names, ids, strata, other people, places of files and what a judge is told."""
    run = server.place.run
    ids = [entry.id for entry in read(run.pairs())]
    ids += [entry.id for model in MODELS for entry in read(run.responses(model))]
    with server.store.reading() as session:
        strata = set(session.exec(select(Item.stratum)).all())
    judge = ["For a judge"]
    others = ["other-annotator", "hand-made", str(server.place.folder)]
    return [*HIDDEN, *(name[:12] for name in ids), *strata, *others, *judge]
