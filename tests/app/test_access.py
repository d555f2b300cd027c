"""Links and visits: what lets somebody in, for how long, and what the server keeps of it."""

import datetime
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlmodel import col, select
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket, WebSocketDisconnect

from annotate_app import access
from annotate_app.access import cookie_in, person, redeem
from annotate_app.door import MOST_ADDRESSES, TRIES, TRIES_SECONDS, Attempts, place
from annotate_app.enrolment import invite, links_file
from annotate_app.invite_page import invite_door
from annotate_app.schema import Event
from annotate_app.shield import OwnPagesOnly, PrivateHeaders
from annotate_app.store import Store
from polibias.errors import InputError
from tests.app.conftest import Place, enrol

HOST = "http://annotate.example"


def token_of(link: str) -> str:
    return link.partition("#")[2]


@pytest.fixture
def link(store: Store) -> str:
    return enrol(store, "ann")[0].link


@pytest.fixture
def client(store: Store) -> Iterator[TestClient]:
    with TestClient(guarded(store), base_url=HOST, follow_redirects=False) as found:
        yield found


def guarded(store: Store, proxied: bool = False) -> Starlette:
    """The door and a socket behind what stands before every page."""

    async def socket(websocket: WebSocket) -> None:
        await websocket.accept()
        await websocket.close()

    routes = [*invite_door(store, proxied).routes(), WebSocketRoute("/socket", socket)]
    return Starlette(routes=routes, middleware=[Middleware(PrivateHeaders), Middleware(OwnPagesOnly)])


def test_a_token_opens_a_visit_again_and_again_until_it_is_revoked(store: Store, link: str) -> None:
    cookies = [redeem(store, token_of(link)) for _ in range(2)]
    assert cookies[0] != cookies[1]
    assert [person(store, cookie or "") for cookie in cookies] == [person(store, cookies[0] or "")] * 2
    newer = enrol(store, "ann")[0].link
    assert redeem(store, token_of(link)) is None
    assert [person(store, cookie or "") for cookie in cookies] == [None, None]
    found = person(store, redeem(store, token_of(newer)) or "")
    assert found is not None
    assert found.name == "ann"


def test_a_visit_ends(store: Store, link: str, monkeypatch: pytest.MonkeyPatch) -> None:
    cookie = redeem(store, token_of(link)) or ""
    late = datetime.datetime.now(datetime.UTC) + datetime.timedelta(days=access.VISIT_DAYS, seconds=1)
    monkeypatch.setattr(access, "now", lambda: access.stamp(late))
    assert person(store, cookie) is None


@pytest.mark.parametrize("token", ["", "x", "\x00", "\ud800", "é" * 40, "a" * 10_000])
def test_a_made_up_token_or_cookie_is_nobodys(store: Store, token: str) -> None:
    assert redeem(store, token) is None
    assert person(store, token) is None


def test_neither_token_nor_cookie_is_in_the_database(store: Store, link: str, project: Place) -> None:
    cookie = redeem(store, token_of(link)) or ""
    stored = b"".join(path.read_bytes() for path in sorted(project.made.database.parent.iterdir()))
    assert token_of(link).encode() not in stored
    assert cookie.encode() not in stored


def test_inviting_again_keeps_the_row_that_was_drawn(store: Store) -> None:
    from tests.app.conftest import annotator_id

    before = store.places(annotator_id(store, "ann"))
    enrol(store, "ann")
    assert store.places(annotator_id(store, "ann")) == before


@pytest.mark.parametrize("names", [["ann", "ann"], [""], ["=1+1"], ["a\nb"], ["a,b"], ["\ud800"], ["x" * 65], ["a "]])
def test_a_name_that_cannot_stand_in_a_table_is_refused(store: Store, names: list[str]) -> None:
    with store.writing() as session, pytest.raises(InputError, match="annotator"):
        invite(session, store, names, HOST)


@pytest.mark.parametrize("url", ["", "annotate.example", "ftp://x", "http://x/path", "http://x?q", "http://x#f"])
def test_an_address_that_is_no_servers_is_refused(store: Store, url: str) -> None:
    with store.writing() as session, pytest.raises(InputError, match="--url"):
        invite(session, store, ["new"], url)


def test_the_links_file_is_private_and_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "links.csv"
    with links_file(path) as write:
        write([])
    assert path.read_text() == "annotator,link\n"
    assert path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(InputError, match="there already"), links_file(path):
        pass
    with pytest.raises(RuntimeError), links_file(tmp_path / "second.csv"):
        raise RuntimeError
    assert not (tmp_path / "second.csv").exists()


def test_looking_at_the_page_uses_nothing_up(client: TestClient, store: Store, link: str) -> None:
    for _ in range(3):
        page = client.get("/invite")
        assert page.status_code == 200
        assert not page.cookies
    assert redeem(store, token_of(link))


def test_the_page_loads_nothing_and_runs_only_its_own_script(client: TestClient) -> None:
    page = client.get("/invite")
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert not re.search(r"https?://|src=|href=", page.text)
    assert page.headers["cache-control"] == "no-store"
    assert page.headers["x-frame-options"] == "DENY"


def test_posting_the_token_sets_a_cookie_no_script_can_read(client: TestClient, store: Store, link: str) -> None:
    answer = client.post("/invite", data={"token": token_of(link)}, headers={"origin": HOST})
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    header = answer.headers["set-cookie"].lower()
    assert "httponly" in header
    assert "samesite=strict" in header
    assert "secure" not in header
    found = person(store, cookie_in(store, dict(client.cookies)))
    assert found is not None
    assert found.name == "ann"


def test_over_tls_the_cookie_is_bound_to_host_and_tls(store: Store, link: str) -> None:
    app = Starlette(routes=invite_door(store).routes())
    with TestClient(app, base_url="https://annotate.example", follow_redirects=False) as client:
        header = client.post("/invite", data={"token": token_of(link)}).headers["set-cookie"]
        assert header.startswith("__Host-annotate_")
        assert "; secure" in header.lower()
        assert person(store, cookie_in(store, dict(client.cookies)))


def test_another_sites_page_cannot_sign_anybody_in(client: TestClient, link: str) -> None:
    answer = client.post("/invite", data={"token": token_of(link)}, headers={"origin": "https://elsewhere.example"})
    assert answer.status_code == 403
    assert not answer.cookies


@pytest.mark.parametrize("body", [b"", b"token=", b"token=" + b"x" * 5000, b"\xff\x00", b"other=1"])
def test_a_body_that_is_none_of_ours_is_refused_calmly(client: TestClient, body: bytes) -> None:
    answer = client.post("/invite", content=body)
    assert answer.status_code == 403
    assert "not valid" in answer.text


def test_guessing_is_slowed_down(client: TestClient, link: str) -> None:
    statuses = [client.post("/invite", data={"token": "guess"}).status_code for _ in range(TRIES + 1)]
    assert statuses == [403] * TRIES + [429]
    assert client.post("/invite", data={"token": token_of(link)}).status_code == 429


def test_the_limit_forgets() -> None:
    time = [0.0]
    attempts = Attempts(lambda: time[0])
    for _ in range(TRIES):
        attempts.failed("here")
    assert attempts.exhausted("here")
    assert not attempts.exhausted("there")
    time[0] = TRIES_SECONDS
    assert not attempts.exhausted("here")


def test_each_redemption_is_an_event(store: Store, link: str) -> None:
    for _ in range(2):
        redeem(store, token_of(link))
    redeem(store, "guess")
    with store.reading() as session:
        query = select(Event.kind, Event.annotator).order_by(col(Event.number))
        assert session.exec(query).all()[-2:] == [("redeemed", "ann")] * 2


@pytest.mark.parametrize(("proxied", "statuses"), [(False, [403] * TRIES + [429] * 5), (True, [403] * (TRIES + 5))])
def test_whom_a_header_names_counts_only_behind_a_proxy_that_is_believed(
    store: Store, proxied: bool, statuses: list[int]
) -> None:
    """The server under the app has then put the named client in the connection's place, as here."""
    app, found = guarded(store, proxied), []
    for number in range(TRIES + 5):
        client = TestClient(app, HOST, client=(f"192.0.2.{number}", 0))
        headers = {"x-forwarded-for": f"192.0.2.{number}"}
        found.append(client.post("/invite", data={"token": "guess"}, headers=headers).status_code)
    assert found == statuses


@pytest.mark.parametrize(
    ("address", "counted"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::9", "2001:db8:1:2::/64"),
        ("testclient", "testclient"),
        ("x" * 1000, "x" * 64),
    ],
)
def test_a_network_of_many_addresses_counts_as_one(address: str, counted: str) -> None:
    assert place(address) == counted


def test_very_many_addresses_are_forgotten_oldest_first() -> None:
    attempts = Attempts(lambda: 0.0)
    for address in ("early", *map(str, range(MOST_ADDRESSES)), "late"):
        for _ in range(TRIES if address in ("early", "late") else 1):
            attempts.failed(address)
    assert not attempts.exhausted("early")
    assert attempts.exhausted("late")


@pytest.mark.parametrize(
    "origin", ["https://elsewhere.example", "http://annotate.example:9999", "http://localhost:8501", "null"]
)
def test_another_address_reaches_neither_pages_nor_sockets(client: TestClient, origin: str) -> None:
    assert client.get("/invite", headers={"origin": origin}).status_code == 403
    with pytest.raises(WebSocketDisconnect), client.websocket_connect("/socket", headers={"origin": origin}):
        pass


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        ("http://annotate.example", "annotate.example"),
        ("https://annotate.example", "annotate.example"),
        ("https://annotate.example", "annotate.example:443"),
        ("http://annotate.example", "annotate.example:80"),
        ("http://annotate.example:8501", "Annotate.Example:8501"),
    ],
)
def test_its_own_pages_reach_both(client: TestClient, origin: str, host: str) -> None:
    headers = {"origin": origin, "host": host}
    assert client.get("/invite", headers=headers).status_code == 200
    with client.websocket_connect("/socket", headers=headers):
        pass
