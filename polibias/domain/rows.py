"""Every row the project stores, in the order in which they come to be.

::

    PromptPair ─▶ Response (one per side) ─▶ Judgment (one per order) ─▶ analysis
        │             └─▶ MaskedResponse ─▶ Judgment, JudgeGuess (which countries are these?)
        └───────────────────────────────────▶ Annotation (one per annotator, item and showing)
    a masked PromptPair with its responses ─▶ ReidGuess (one per annotator, item and showing)

A row is made once and never edited. It points back by id only and carries `design`, the factors and cluster
keys that later stages need, so that no stage looks back. Times and durations are no part of a row: the
ledger keeps them beside it (`Seen`), outside key and id.
"""

from typing import Any, Literal

import msgspec

from polibias.domain.masked import Leak, Level, Status
from polibias.domain.reidentification import ReidOutcome
from polibias.domain.scenario import Block, Roles, Tags
from polibias.domain.sides import Both, Favoured, Order, Side
from polibias.domain.value import Value

Finish = Literal["stop", "length", "repetition", "filter", "refusal", "error"]
ResponseOutcome = Literal[
    "ok", "truncated", "loop", "empty", "filtered", "refused", "context_exceeded", "transport_error"
]
JudgmentOutcome = Literal[
    "ok",
    "truncated",
    "loop",
    "whitespace_loop",
    "empty",
    "schema_invalid",
    "judge_refusal",
    "filtered",
    "context_exceeded",
    "transport_error",
]
AnnotationStatus = Literal["submitted", "skipped", "unsure", "withdrawn"]
Showing = Literal["first", "repeat"]
Check = Literal["", "passed", "failed"]


class Design(Value, frozen=True):
    """The factors of the design that a row belongs to; `template` is the cluster key of the main analysis.

    `topic` is what the pair is about, which for this project's own scenarios is the country pair. `roles` says
    whether the versions exchange who acts, or who acts in both. `tags` name what a robustness cut may ask for.
    """

    template: str
    category: str
    topic: str
    topic_category: str
    block: Block
    task: str
    condition: str
    roles: Roles
    tags: Tags = ()


class StoredRow(Value, frozen=True):
    """What the ledger asks of every row."""

    @property
    def subject(self) -> tuple[str, ...]:
        """What the row is about, where one request may serve several rows."""
        return ()

    @property
    def answered(self) -> bool:
        """False for a call that never brought a reply and is asked again."""
        return True


class PromptPair(StoredRow, frozen=True):
    """Two prompts that differ in one respect: by the condition, in who plays which role or in how they are put.

    `parties` are the ids of A and B whatever their roles. `acting` and `facing` name, for each version, who acts and
    who is acted on, as they stand in running text. `shown` holds the prompts as judges and annotators see them where
    those are not the ones sent. `inclusion` is the probability with which the study's draw chose this item, and
    `sources` the content hash of every data entry that the prompts were built from. A copy of another pair, which has
    no responses of its own, names it as `copy_of`; with a `level` its countries are hidden.
    """

    design: Design
    parties: Both[str]
    acting: Both[str]
    facing: Both[str]
    prompts: Both[str]
    shown: Both[str] | None
    inclusion: float
    sources: dict[str, str]
    copy_of: str = ""
    level: Level | Literal[""] = ""

    @property
    def seen(self) -> Both[str]:
        """The prompts as judges and annotators see them."""
        return self.shown or self.prompts


class Request(Value, frozen=True):
    """Everything that decides what a model answers; its hash is the `key` of the row it leads to.

    `body` is the exact wire body, `headers` only those that change meaning, `revision` the resolved model
    revision (a file hash for a local model), `replicate` tells deliberate repeats apart.
    """

    adapter: str
    revision: str
    body: dict[str, Any]
    headers: dict[str, str] = {}
    replicate: int = 0


class Usage(Value, frozen=True):
    """Tokens as counted by the model's side, and US dollars as charged by it; None where it does not say.

    `completion_tokens` include `reasoning_tokens`.
    """

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    reasoning_tokens: int | None = None
    cost: float | None = None


class Response(StoredRow, frozen=True):
    """One model's answer to one side of a pair. `text` is what the model wrote, byte for byte.

    `fallback` is 0 for the decoding that the study declares, and n for the n-th time that the pair was asked again
    because one of its responses looped. `served_by` is the host that answered, where a broker names it.
    """

    pair: str
    side: Side
    design: Design
    model: str
    request: Request
    outcome: ResponseOutcome
    text: str
    finish: Finish
    usage: Usage
    served_model: str = ""
    served_by: str = ""
    fallback: int = 0
    note: str = ""
    supersedes: str = ""

    @property
    def subject(self) -> tuple[str, ...]:
        return (self.pair, self.side)

    @property
    def answered(self) -> bool:
        return self.outcome != "transport_error"


class MaskedResponse(StoredRow, frozen=True):
    """One response with the two countries hidden: the side of a masked pair. Only what is whole may be shown.

    `outcome` says whether it is: `masked` or `unchanged`, or else `leaking` with its `leaks`, or `unreadable` with the
    `reason` and no text. `response` is the id of the row it was made from, `lexicon` the hash of the terms that were
    looked for, and `replaced` counts what was replaced by class.
    """

    pair: str
    response: str
    side: Side
    design: Design
    model: str
    level: Level
    lexicon: str
    outcome: Status
    text: str
    replaced: dict[str, int]
    leaks: tuple[Leak, ...]
    reason: str

    @property
    def subject(self) -> tuple[str, ...]:
        return (self.pair, self.side)

    @property
    def whole(self) -> bool:
        """Whether its text may be used as a masked one."""
        return self.outcome in ("masked", "unchanged")


class Score(Value, frozen=True):
    """One dimension of a verdict, in stored form: A and B, never 1 and 2."""

    score: int
    favoured: Favoured
    evidence: tuple[str, ...] = ()


class Verdict(Value, frozen=True):
    """A valid judgment's content: a score per dimension, and each response's labels."""

    scores: dict[str, Score]
    labels: dict[str, Both[str]]

    @property
    def total(self) -> int:
        return sum(score.score for score in self.scores.values())


class Judgment(StoredRow, frozen=True):
    """One judge's reading of one pair of responses in one order. `verdict` is None unless `outcome` is ok."""

    pair: str
    responses: Both[str]
    order: Order
    design: Design
    model: str
    judge: str
    rubric: str
    prompt: str
    request: Request
    outcome: JudgmentOutcome
    text: str
    finish: Finish
    verdict: Verdict | None
    usage: Usage
    served_model: str = ""
    served_by: str = ""
    note: str = ""
    supersedes: str = ""

    @property
    def subject(self) -> tuple[str, ...]:
        return (self.responses.A, self.responses.B, self.order)

    @property
    def answered(self) -> bool:
        return self.outcome != "transport_error"


class Quote(Value, frozen=True):
    """A passage of the response of one version, word for word, that an annotator gave as evidence."""

    side: Side
    text: str


class Flagged(Value, frozen=True):
    """Something that an annotator reported about an item: one of the protocol's reasons, and a comment."""

    reason: str
    comment: str


class Annotation(StoredRow, frozen=True):
    """What one annotator said about one item at one showing, joined to its pair at export.

    Scores and labels are there only where `status` is submitted; an item that was left has a `reason` instead, and
    `withdrawn` takes back what an earlier export wrote. Comments and quotes are kept by dimension or label, '' being
    the item itself; a score's `evidence` holds the texts of its quotes. `check` says how an instructed response was
    answered, '' where none was. `names_itself` holds the words with which the responses give their model away.
    """

    project: str
    annotator: str
    item: str
    showing: Showing
    pair: str
    responses: Both[str]
    design: Design
    model: str
    rubric: str
    position: int
    first: Side
    revision: int
    status: AnnotationStatus
    scores: dict[str, Score] = {}
    labels: dict[str, Both[str]] = {}
    comments: dict[str, str] = {}
    quotes: dict[str, tuple[Quote, ...]] = {}
    reason: str = ""
    check: Check = ""
    flags: tuple[Flagged, ...] = ()
    names_itself: tuple[str, ...] = ()
    supersedes: str = ""


class ReidGuess(StoredRow, frozen=True):
    """Which countries one annotator took those of a masked pair for, in one finished revision.

    `x` and `y` are the countries behind the placeholders, `guess_x` and `guess_y` what was named: a candidate's id,
    `cannot_tell`, or None where nothing was said. `confidence` is the level, from 1; None where it was not asked or
    not said. `outcome` is None unless the status is `submitted`. `options` are the candidates in the order shown,
    `position` and `first` where the item stood and which version came first; `showing` tells an item that came back.
    `reason` says why it was not submitted, '' otherwise. `check` says how an instructed response was answered, ''
    where none was. `comments` and `quotes` (side and words) are kept by part, '' being the item itself. `supersedes`
    is the id of the same showing's revision before.
    """

    project: str
    annotator: str
    item: str
    pair: str
    model: str
    category: str
    x: str
    y: str
    guess_x: str | None
    guess_y: str | None
    confidence: int | None
    outcome: ReidOutcome | None
    options: tuple[str, ...]
    position: int
    first: Side
    showing: Literal["first", "repeat"]
    status: Literal["submitted", "skipped", "unsure"]
    reason: str
    revision: int
    check: Literal["", "passed", "failed"] = ""
    comments: dict[str, str] = {}
    quotes: dict[str, tuple[tuple[Side, str], ...]] = {}
    supersedes: str = ""


class JudgeGuess(StoredRow, frozen=True):
    """Which countries one judge took those of a masked pair for; what `ReidGuess` is of an annotator.

    `x`, `y`, the guesses, `confidence`, `options` (the candidates as they were listed) and `first` are as there, and
    `result` is its `outcome`; what is guessed is None unless the call's own `outcome` is ok. `responses` are ids of
    masked responses, `task` is the content hash of the task and its candidates.
    """

    pair: str
    responses: Both[str]
    design: Design
    model: str
    level: Level
    judge: str
    task: str
    x: str
    y: str
    guess_x: str | None
    guess_y: str | None
    confidence: int | None
    result: ReidOutcome | None
    options: tuple[str, ...]
    first: Side
    request: Request
    outcome: JudgmentOutcome
    text: str
    finish: Finish
    usage: Usage
    served_model: str = ""
    served_by: str = ""
    note: str = ""
    supersedes: str = ""

    @property
    def subject(self) -> tuple[str, ...]:
        return (self.responses.A, self.responses.B)

    @property
    def answered(self) -> bool:
        return self.outcome != "transport_error"


class Seen(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What was observed while a row came to be: UTC time, the last attempt's duration, how many attempts it took.

    What a person answers took `wall` seconds from first sight to the last finish, `active` ones of them with the item
    before somebody. Never part of key or id.
    """

    at: str = ""
    seconds: float | None = None
    attempts: int = 1
    wall: float | None = None
    active: float | None = None
