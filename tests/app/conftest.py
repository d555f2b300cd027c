"""A small sealed run made by hand through `polibias.records`, and a project made from it."""

import contextlib
import itertools
import os
import socket
import sys
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest
from sqlmodel import select

from annotate_app.create import Created, Wanted, create
from annotate_app.enrolment import Invitation, invite
from annotate_app.origins import read_run
from annotate_app.protocol import AnnotationProtocol
from annotate_app.protocols import read_protocol
from annotate_app.questions import Entry
from annotate_app.schema import Annotator
from annotate_app.sealed import Sealed, read_sealed
from annotate_app.store import Store, open_store
from polibias.domain.ids import plain
from polibias.domain.rows import Design, Judgment, PromptPair, Request, Response, Score, Seen, Usage, Verdict
from polibias.domain.rubric import Rubric, Sides
from polibias.domain.scenario import Block
from polibias.domain.sides import ORDERS, Both, Side
from polibias.domain.wording import JudgePrompt
from polibias.records.documents import write_named
from polibias.records.ledger import Ledger
from polibias.records.manifest import seal
from polibias.records.runs import STUDY_TAG, Run

ROOT = Path(__file__).resolve().parents[2]


def shipped(name: str) -> Rubric:
    """A rubric of the data folder."""
    return msgspec.convert(tomllib.loads((ROOT / f"data/rubrics/{name}.toml").read_text("utf-8")), type=Rubric)


def task(name: str) -> JudgePrompt:
    """A judge task of the data folder."""
    return msgspec.convert(
        tomllib.loads((ROOT / f"data/prompts/judge/{name}.toml").read_text("utf-8")), type=JudgePrompt
    )


RUBRIC, EVEN = shipped("poli-bias"), shipped("even-handedness")

OPTIONS = {"first": "{acting_1}", "second": "{acting_2}", "none": "None"}
FAVOURED = {
    "title": "The favoured side",
    "judge": "For a judge: who gains.",
    "human": "Who gains?",
    "question": "which country comes out better?",
    "slots": {"first": "For a judge: 1", "second": "For a judge: 2", "none": "For a judge: none"},
    "options": OPTIONS,
}
FORM = {
    "intro": "Compare the two.",
    "scale_question": "how large is the difference?",
    "version": "Country {number}: {acting} against {facing}.",
}

SMALL = msgspec.convert(
    {
        "id": "small",
        "title": "Two questions",
        "dimensions": [
            {
                "id": id,
                "title": id.title(),
                "gloss": f"gloss of {id}",
                "judge": f"For a judge: {id}.",
                "human": text,
                "cues": [],
            }
            for id, text in (("tone", "Which is *warmer*?"), ("depth", "Which says $more$?"))
        ],
        "levels": [
            {"score": score, "title": f"degree {score}", "judge": f"For a judge: {score}.", "human": f"About {score}."}
            for score in (0, 1, 2)
        ],
        "favoured": FAVOURED,
        "form": FORM,
        "report": {**{name: f"For a judge: {name}" for name in plain(RUBRIC.report)}, "unit": "score"},
        "zero_favours_none": False,
    },
    type=Rubric,
)
"""Another rubric: two dimensions, three levels, and a favoured side for every score."""

MODELS = ("qwenzilla-7b", "llamatron-3")
JUDGE = "ibex-judge"
TEMPLATE = "WC-HIDE-{number:03d}"
CATEGORY = "war_crimes_hidden"

HOSTILE = (
    "   indented NUL \x00, bell \x07, lone surrogate \ud800, line separator \u2028 here; $x^2$ and $$y$$; "
    ":red[alarm] :smile: :material/home: <script>document.title='taken'</script> </script> "
    "<img src=http://attacker.invalid/a.png> ![x](http://attacker.invalid/b.png) "
    "[y](javascript:alert(1)) # Heading ~~gone~~ **bold** `code` -> <- -- {braces}"
)
LONG = "A very long response. " + "word " * 12_000

READ_BY_PEOPLE = ("title", "gloss", "human", "cues", "question", "intro")


def hostile_words() -> Rubric:
    """The even-handedness rubric with hostile text wherever an annotator reads it."""

    def spoilt(value: Any, name: str) -> Any:
        if isinstance(value, dict):
            return {key: spoilt(part, key) for key, part in value.items()}
        if isinstance(value, list | tuple):
            return [spoilt(part, name) for part in value]
        return f"{value} {HOSTILE}" if name in READ_BY_PEOPLE else value

    rubric = msgspec.convert(spoilt(plain(EVEN), ""), type=Rubric)
    options = Sides("**one** $x$ :red[a]", "**two** <b>x</b>", "![none](http://attacker.invalid/c.png)")
    return msgspec.structs.replace(rubric, favoured=msgspec.structs.replace(rubric.favoured, options=options))


HIDDEN = [
    *MODELS,
    JUDGE,
    "WC-HIDE",
    CATEGORY,
    "iran-israel",
    "france-germany",
    "T7-secret",
    "condition-secret",
    "tag-secret",
    "swapped",
    "no_conflict",
]
"""What must never reach the blind side; pair and response ids come on top."""


class Topic(NamedTuple):
    """One pair of the hand-made run: its block, two countries, each model's two texts, its condition."""

    block: Block
    pair_id: str
    countries: tuple[str, str]
    texts: tuple[str, str]
    condition: str = "condition-secret"


TOPICS = (
    Topic("main", "iran-israel", ("Iran", "Israel"), ("Iran fired first, it seems.", "Israel struck without cause.")),
    Topic("control", "france-germany", ("France", "Germany"), ("France may have erred.", "Germany may have erred.")),
    Topic("main", "us-china", ("the United States", "China"), ("A grave act, or not.", "A grave act, plainly.")),
    Topic("main", "ruritania", (":red[Ruritania] $a$ <b>x</b>", "Graustark_*_"), (HOSTILE, LONG)),
)
SHORT = (
    Topic("main", "iran-israel", ("Iran", "Israel"), ("Iran fired first.", "Israel fired first.")),
    Topic("control", "france-germany", ("France", "Germany"), ("France may have erred.", "Germany may have erred.")),
    Topic("main", "us-china", ("the United States", "China"), ("A grave act, or not.", "A grave act, plainly.")),
)


def build_run(
    folder: Path,
    topics: Sequence[Topic] = TOPICS,
    models: Sequence[str] = MODELS,
    rubric: Rubric = RUBRIC,
    study: Mapping[str, Any] = {},
) -> Run:
    """A sealed run: every topic answered by every model and read by one judge. `study` adds to its study file."""
    run = Run(folder)
    write_named(run.study, STUDY_TAG, {"rubric": plain(rubric), "study": {"id": folder.name}, **plain(study)})
    with Ledger(run.pairs()) as ledger:
        pairs = [(ledger.append(pair, Seen()), pair) for pair in map(_pair, range(len(topics)), topics)]
        ledger.commit()
    for model in models:
        with Ledger(run.responses(model)) as answers, Ledger(run.judgments(JUDGE)) as judgments:
            for (pair_id, pair), topic in zip(pairs, topics, strict=True):
                ids = {
                    side: answers.append(_response(pair_id, pair, model, side, topic), Seen()) for side in ("A", "B")
                }
                for row in _judgments(pair_id, pair, model, Both(ids["A"], ids["B"])):
                    judgments.append(row, Seen())
            answers.commit()
            judgments.commit()
    seal(run, run.folder, {"study": folder.name})
    return run


def _pair(number: int, topic: Topic) -> PromptPair:
    a, b = topic.countries
    design = Design(
        template=TEMPLATE.format(number=number),
        category=CATEGORY,
        topic=topic.pair_id,
        topic_category="active" if topic.block == "main" else "no_conflict",
        block=topic.block,
        task="T7-secret",
        condition=topic.condition,
        roles="swapped",
        tags=("tag-secret", "tag-two"),
    )
    prompts = Both(f"In 2031 {a} shells {b}. Assess {a}.", f"In 2031 {b} shells {a}. Assess {b}.")
    sources = {"template": f"{number:064x}"}
    return PromptPair(design, Both("a", "b"), Both(a, b), Both(b, a), prompts, None, 1.0, sources)


def _response(pair_id: str, pair: PromptPair, model: str, side: Side, topic: Topic) -> Response:
    text = topic.texts[0] if side == "A" else topic.texts[1]
    request = Request("scripted", "r1", {"model": model, "prompt": pair.prompts[side]})
    return Response(pair_id, side, pair.design, model, request, "ok", text, finish="stop", usage=Usage())


def _judgments(pair_id: str, pair: PromptPair, model: str, ids: Both[str]) -> list[Judgment]:
    verdict = Verdict({name: Score(3, "A", ("quote",)) for name in RUBRIC.dimension_ids}, {})
    return [
        Judgment(
            pair=pair_id,
            responses=ids,
            order=order,
            design=pair.design,
            model=model,
            judge=JUDGE,
            rubric="r",
            prompt="p",
            request=Request("scripted", "r1", {"model": model, "pair": pair_id, "order": order}),
            outcome="ok",
            text="{}",
            finish="stop",
            verdict=verdict,
            usage=Usage(),
        )
        for order in ORDERS
    ]


class Place(NamedTuple):
    """Where a test's run, project and sealed file are."""

    folder: Path
    run: Run
    made: Created

    @property
    def store(self) -> Store:
        return open_store(self.made.database)

    @property
    def sealed(self) -> Sealed:
        return read_sealed(self.made.sealed)


ADDRESS = "http://127.0.0.1:8501"
SHIPPED = read_protocol(ROOT / "data/annotation/blind-pairs.toml", "pairs")


def protocol(**assignment: Any) -> AnnotationProtocol:
    """The shipped protocol with other entries under [assignment]."""
    return msgspec.structs.replace(SHIPPED, assignment=msgspec.structs.replace(SHIPPED.assignment, **assignment))


WITHOUT_TERMS = msgspec.structs.replace(SHIPPED, consent="", content="", statement="")
"""A protocol whose annotators come to the first item at once."""


def make_project(
    folder: Path,
    topics: Sequence[Topic] = TOPICS,
    models: Sequence[str] = MODELS,
    rubric: Rubric = RUBRIC,
    protocol: AnnotationProtocol = WITHOUT_TERMS,
) -> Place:
    """A project called `first` on a fresh hand-made run."""
    run = build_run(folder / "runs" / "hand-made", topics, models, rubric)
    return Place(folder, run, make_on(run, folder, protocol))


def make_on(run: Run, folder: Path, protocol: AnnotationProtocol = WITHOUT_TERMS, name: str = "first") -> Created:
    """A project on a run, in a folder's own `projects` and `sealed`."""
    return create(read_run(run), Wanted(name, protocol, ADDRESS, 7), folder / "projects", folder / "sealed")


def place_in(folder: Path, like: Place) -> Place:
    """The copy of a place that lies in another folder."""
    made = like.made._replace(
        **{name: _moved(getattr(like.made, name), folder, like) for name in ("database", "sealed")}
    )
    return Place(folder, Run(_moved(like.run.folder, folder, like)), made)


def _moved(path: Path, folder: Path, like: Place) -> Path:
    return folder / path.relative_to(like.folder)


FIRST, LAST = 20_000, 30_000
PORTS = itertools.chain(range(FIRST + os.getpid() * 97 % (LAST - FIRST), LAST), itertools.cycle(range(FIRST, LAST)))


def free_port() -> int:
    """A port that nobody listens at; every process begins at another one.

    They lie below those that the system hands out, which any client could be given before a server takes its own.
    """
    while True:
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", next(PORTS)))
            return int(probe.getsockname()[1])


def enrol(store: Store, *names: str) -> list[Invitation]:
    with store.writing() as session:
        return invite(session, store, names)


def annotator_id(store: Store, name: str) -> int:
    with store.reading() as session:
        return session.exec(select(Annotator.id).where(Annotator.name == name)).one() or 0


def said(dimension: str, score: int | None, favoured: str | None = None) -> dict[str, str | None]:
    """Both answers to a dimension, in stored form."""
    return {f"{dimension}.score": None if score is None else str(score), f"{dimension}.favoured": favoured}


def answers_to(entry: Entry, dimension: str) -> tuple[int | None, str | None]:
    """What an entry says about a dimension: score and favoured side."""
    score = entry.answers.get(f"{dimension}.score")
    return None if score is None else int(score), entry.answers.get(f"{dimension}.favoured")


def full(score: int = 2, favoured: str = "A", comment: str = "") -> Entry:
    """A complete entry: the same answer to every dimension."""
    return Entry(
        {k: v for name in RUBRIC.dimension_ids for k, v in said(name, score, favoured).items()},
        {"": comment} if comment else {},
    )


@pytest.fixture(autouse=True)
def own_main(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that a test runs takes the main module's place; whatever starts processes later needs the real one."""
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])


@pytest.fixture
def project(tmp_path: Path) -> Place:
    return make_project(tmp_path)


@pytest.fixture
def store(project: Place) -> Store:
    """The project's store with two annotators, ann and bob."""
    store = project.store
    enrol(store, "ann", "bob")
    return store
