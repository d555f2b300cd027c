"""Who may see the desk: whoever holds the link that its process printed when it started.

Token and cookies are 32 random bytes, kept as SHA-256 in the memory of that process: nothing of them is on the disk,
and the end of the process ends all of them.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from functools import cache

from annotate_app.door import Door, Pass, Words
from annotate_app.tokens import LONGEST, digest, new_secret

PATH = "/desk"
SESSION_SECONDS = 12 * 3600
MOST_SESSIONS = 50
WORDS = Words(
    title="Coordinator's desk",
    welcome="<p>This page shows how a study is going: who is where, and never what anybody answered.</p>",
    incomplete="The link is incomplete. Please open the whole link that the command printed.",
    unknown="""<p>This link is not valid: the desk prints a new one whenever it is started.
Please use the link it printed last.</p>""",
)


class Desk:
    """One process's link and the browsers it let in. Safe to share between threads."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._turn = threading.Lock()
        self._token = ""
        self._sessions: OrderedDict[str, float] = OrderedDict()

    def new_token(self) -> str:
        """The token of a new link; the one before opens nothing any more."""
        token = new_secret()
        self._token = digest(token)
        return token

    def redeem(self, token: str) -> str | None:
        """A cookie for the holder of the link, None for anybody else. Very many cookies end the oldest."""
        if not 0 < len(token) <= LONGEST or digest(token) != self._token:
            return None
        cookie = new_secret()
        with self._turn:
            self._sessions[digest(cookie)] = self._clock() + SESSION_SECONDS
            if len(self._sessions) > MOST_SESSIONS:
                self._sessions.popitem(last=False)
        return cookie

    def knows(self, cookie: str) -> bool:
        """Whether this cookie was handed out here, and lately."""
        if not 0 < len(cookie) <= LONGEST:
            return False
        with self._turn:
            return self._sessions.get(digest(cookie), 0.0) > self._clock()


@cache
def shared_desk() -> Desk:
    """The one desk of this process."""
    return Desk()


def cookie_names(project: str) -> tuple[str, str]:
    """The cookie's name without TLS and with it: one per project, so that two desks on one host do not meet."""
    plain = "desk_" + digest(project)[:12]
    return plain, f"__Host-{plain}"


def cookie_in(project: str, cookies: Mapping[str, str]) -> str:
    """The desk's cookie among a browser's, or ''."""
    plain, bound = cookie_names(project)
    return cookies.get(bound) or cookies.get(plain) or ""


def desk_door(desk: Desk, project: str, proxied: bool = False) -> Door:
    """The door through which the coordinator comes in."""
    return Door(PATH, WORDS, Pass(*cookie_names(project), SESSION_SECONDS), desk.redeem, proxied)
