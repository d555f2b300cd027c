"""What an open stream knows of its rows by heart, small enough for hundreds of thousands of them."""

import hashlib

from polibias.domain.ids import canonical

NOTHING = b"\0"
ABOUT = 16
PLACE = ABOUT + 32


class Index:
    """Which requests have an answer, and the latest row of each request and subject.

    One mapping from a key's 32 bytes to one byte that says whether it was answered, and behind it 48 bytes per
    subject: 16 bytes of the subject's hash and the row's id. That is about 230 bytes a row.
    """

    def __init__(self) -> None:
        self._found: dict[bytes, bytes] = {}

    def note(self, key: str, subject: tuple[str, ...], id: str, answered: bool) -> None:
        """Take in the next row of the stream."""
        name, about = bytes.fromhex(key), _about(subject)
        before = self._found.get(name, NOTHING)
        at = _place(before, about)
        flag = b"\1" if answered else before[:1]
        self._found[name] = flag + before[1:at] + about + bytes.fromhex(id) + before[at + PLACE :]

    def has_answer(self, key: str) -> bool:
        """Whether the request needs no further call."""
        return self._found.get(bytes.fromhex(key), NOTHING)[:1] != NOTHING

    def latest(self, key: str, subject: tuple[str, ...]) -> str:
        """The id of the last row of this request about this subject; empty if there is none."""
        found = self._found.get(bytes.fromhex(key), NOTHING)
        at = _place(found, _about(subject))
        return found[at + ABOUT : at + PLACE].hex()

    def answered(self) -> int:
        """How many subjects of how many requests that were answered have a row, all together."""
        return sum(len(found) // PLACE for found in self._found.values() if found[:1] != NOTHING)

    def __len__(self) -> int:
        """How many subjects of how many requests have a row, all together."""
        return sum(len(found) // PLACE for found in self._found.values())


def _about(subject: tuple[str, ...]) -> bytes:
    """128 bits of a hash: enough to tell any number of subjects apart."""
    return hashlib.sha256(canonical(subject)).digest()[:ABOUT]


def _place(found: bytes, about: bytes) -> int:
    """Where the subject's bytes begin, or would begin."""
    at = found.find(about, 1)
    while at >= 0 and (at - 1) % PLACE:
        at = found.find(about, at + 1)
    return at if at >= 0 else len(found)
