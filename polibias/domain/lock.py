"""A plan as it was locked, and the log of what became of it.

The lock's hash is what everything after it starts from: the plan's own log, and the event chain of the annotation
project. That proves order without trusting a clock. Both are tamper-evident and no more, until a hash of theirs is
published where their keeper cannot change it.
"""

from typing import Any, Literal

from polibias.domain.plan import Plan
from polibias.domain.value import Value

LOCK_TAG, ENTRY_TAG = "plan-lock/1", "plan-log/1"

EntryKind = Literal[
    "locked", "published", "deviation", "round", "result", "frozen", "boxed", "opened", "reported", "scored"
]
BODIES: dict[EntryKind, dict[str, type]] = {
    "locked": {},
    "published": {"fingerprint": str, "where": str},
    "deviation": {"what": str, "reason": str},
    "round": {"round": int, "rule": str},
    "result": {"round": int, "result": str, "accepted": bool},
    "frozen": {"rubric": str, "judge_prompts": dict},
    "boxed": {"project": str, "sha256": str, "labels": int, "head": str},
    "opened": {"reason": str, "box": str, "labels": int},
    "reported": {"findings": str},
    "scored": {"results": str},
}
"""What each kind of entry says, and in which type."""
HeldOutState = Literal["calibrating", "frozen", "opened", "scored"]


class LockedFile(Value, frozen=True):
    """A file of a run as it was: its first `bytes` bytes have this SHA-256, whatever was appended since."""

    path: str
    bytes: int
    sha256: str


class LockedRun(Value, frozen=True):
    """A sealed run that a plan's draw or comparisons read: its manifest then, and its streams."""

    name: str
    manifest: str
    files: tuple[LockedFile, ...]


class Lock(Value, frozen=True):
    """What was fixed: the plan, the SHA-256 of its file as written, the hashes of sample and split ("" for none),
    the sealed streams that came before, rubric and judge tasks by condition, and the code that reads them.

    `holder` is the public key of the person who can open held-out labels. `previous` is the hash of the lock made
    before this one in the same folder, "" for the first. `at` is UTC.
    """

    plan: Plan
    source: str
    sample: str
    split: str
    inputs: tuple[LockedRun, ...]
    rubric: str
    judge_prompts: dict[str, str]
    holder: str
    code: str
    previous: str
    at: str


class LogEntry(Value, frozen=True):
    """One thing that happened. `prev` is the hash of the entry before, of the lock for the first; `hash` covers all."""

    number: int
    at: str
    kind: EntryKind
    body: dict[str, Any]
    prev: str
    hash: str

    @property
    def sound(self) -> bool:
        """Whether it says what its kind says, and stands where its kind may stand: `locked` comes first and once."""
        wanted = BODIES[self.kind]
        fits = self.body.keys() == wanted.keys() and all(type(self.body[name]) is kind for name, kind in wanted.items())
        return fits and (self.kind == "locked") == (self.number == 1)
