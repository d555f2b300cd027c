"""Everything the bench knows of our annotation app: its commands, its page and its database.

Whoever changes the page or the schema changes this file alone. It relies on
- the commands `create RUN --project P --seed N --url U --protocol FILE`, `invite P NAME… --url U --out FILE` (a CSV
  with a column `link`) and
  `serve P --port N`, and `projects/P/blind.db`;
- the door: a button `Start` at the link, which leads to `/`;
- an h1 `Pair N of M`; one radio question per rubric question, labelled `TITLE: SCALE QUESTION` and
  `TITLE: FAVOURED QUESTION`, options in the rubric's order, the favoured ones as first shown, second shown, none;
  one button whose label begins with `Submit`;
- the tables `annotator`, `presentation`, `sheet`, `answer` and `event` as `STORED`, `SUBMITTED` and `EVENTS` read them;
- for the writers, `Store.places` and `Store.submit` with an `Entry` of answers by question id.
"""

import csv
import re
import sqlite3
import subprocess
import sys
from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import BrowserContext, Locator, Page

from polibias.domain.rubric import Rubric
from polibias.domain.scenario import Block
from tests.app.conftest import ROOT, RUBRIC, Topic, build_run
from tests.bench.served import Served, free_port

PROJECT = "bench"
SUBMIT = "Submit"
ANSWERING = ("draft", "submitted", "revised")
"""Kinds of events that hold answers."""

STORED = """
SELECT presentation.position, answer.question_id, answer.value, presentation.first
FROM answer JOIN sheet ON sheet.id = answer.sheet_id
JOIN presentation ON presentation.id = sheet.presentation_id
JOIN annotator ON annotator.id = presentation.annotator_id
WHERE annotator.name = ? AND answer.value IS NOT NULL ORDER BY sheet.revision
"""
SUBMITTED = "SELECT annotator, item, count(*) FROM event WHERE kind IN ('submitted', 'revised') GROUP BY 1, 2"
EVENTS = "SELECT number, at, annotator, kind FROM event WHERE number > ? ORDER BY number"

# The position on the screen once all of its questions stand there, else 0. While a run draws, the questions of the item
# before may still stand under the new heading, so it counts once the run has ended.
AT = """
() => {
  const heads = [...document.querySelectorAll('h1')].map(e => /Pair (\\d+) of/.exec(e.textContent)).filter(Boolean);
  const submits = [...document.querySelectorAll('button')].filter(e => e.textContent.trim().startsWith('Submit'));
  const asked = document.querySelectorAll('[role=radiogroup]').length;
  const drawn = document.querySelector('[data-testid=stApp]')?.dataset.testScriptState === 'notRunning';
  return drawn && heads.length === 1 && submits.length === 1 && asked === QUESTIONS ? Number(heads[0][1]) : 0;
}
"""

PROSE = (
    "Whether the conduct described amounts to a violation turns on who controlled the area, what was known at the time "
    "and which measures were open to those in command. The facts as given leave some of this unsaid. "
)
LENGTH = 2400
"""Characters of a response, as long as a model's answer of some 500 tokens."""


class Asked(NamedTuple):
    """A question: its label on the page, its name in the database, and its values there.

    A favoured side has no values of its own: which option means which side depends on the side shown first.
    """

    label: str
    id: str
    values: tuple[str, ...] = ()


def questions(rubric: Rubric) -> tuple[Asked, ...]:
    """What the page asks, from top to bottom."""
    values = tuple(str(level.score) for level in rubric.levels)
    return tuple(
        asked
        for one in rubric.dimensions
        for asked in (
            Asked(f"{one.title}: {rubric.form.scale_question}", f"{one.id}.score", values),
            Asked(f"{one.title}: {rubric.favoured.question}", f"{one.id}.favoured"),
        )
    )


QUESTIONS = questions(RUBRIC)
TITLES = tuple(asked.label for asked in QUESTIONS)
BY_ID = {asked.id: asked for asked in QUESTIONS}


def option_of(asked: Asked, value: str, first: str) -> int:
    """Which option, from 0, means a stored value to somebody who saw side `first` first."""
    if asked.values:
        return asked.values.index(value)
    return 2 if value == "none" else int(value != first)


def topics(count: int) -> list[Topic]:
    """So many pairs of long responses; every fourth pair is a control."""

    def text(number: int, side: str) -> str:
        return (f"Answer {number}{side}. " + PROSE * (LENGTH // len(PROSE) + 1))[:LENGTH]

    blocks: tuple[Block, ...] = ("main", "main", "main", "control")
    return [
        Topic(blocks[n % 4], f"pair-{n}", ("Iran", "Israel"), (text(n, "a"), text(n, "b"))) for n in range(1, count + 1)
    ]


def without_terms() -> str:
    """The shipped protocol whose annotators come to the first pair at once: only scoring is measured."""
    shipped = (ROOT / "data/annotation/blind-pairs.toml").read_text("utf-8")
    return re.sub(r'(?ms)^(consent|content|statement) = """.*?"""', r'\1 = ""', shipped)


class OurApp:
    """A project with its server, as a coordinator would set it up; also a tool that the script of the rivals works."""

    name = "polibias-annotate"
    at = AT.replace("QUESTIONS", str(len(QUESTIONS)))
    questions = TITLES

    def __init__(self, folder: Path, items: int) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.database = folder / "projects" / PROJECT / "blind.db"
        run = build_run(folder / "runs" / "hand-made", topics(items), ("a-model",), RUBRIC)
        protocol = folder / "protocol.toml"
        protocol.write_text(without_terms(), "utf-8")
        port = free_port()
        where = ("--project", PROJECT, "--url", f"http://127.0.0.1:{port}")
        self._command("create", str(run.folder), *where, "--seed", "1", "--protocol", str(protocol))
        serve = (sys.executable, "-m", "annotate_app.cli", "serve", PROJECT, "--port", str(port))
        self.server = Served(serve, folder, port, {"PYTHONPATH": str(ROOT)})

    def _command(self, *arguments: str) -> None:
        command = [sys.executable, "-m", "annotate_app.cli", *arguments]
        subprocess.run(command, cwd=self.folder, check=True, stdout=subprocess.DEVNULL)

    def configured(self) -> str:
        """What is measured, in a line."""
        return f"{self.name} as `polibias-annotate serve` starts it; rubric {RUBRIC.id}, {len(TITLES)} questions"

    def invite(self, names: Sequence[str]) -> list[str]:
        """A personal link for each name."""
        out = self.folder / f"links-{names[0]}.csv"
        self._command("invite", PROJECT, *names, "--url", self.server.url, "--out", str(out))
        with out.open(encoding="utf-8") as file:
            return [row["link"] for row in csv.DictReader(file)]

    def enter(self, context: BrowserContext, annotator: str) -> Page:
        """The page of somebody new, at the first item."""
        page = context.new_page()
        page.goto(self.invite([annotator])[0])
        page.get_by_role("button", name="Start").click()
        page.wait_for_url(self.server.url + "/")
        return page

    @staticmethod
    def option(page: Page, question: str, option: int) -> Locator:
        """The radio button of an option, from 0."""
        return page.get_by_role("radiogroup", name=question, exact=True).get_by_role("radio").nth(option)

    @staticmethod
    def next_button(page: Page) -> Locator:
        return page.get_by_role("button", name=SUBMIT)

    def go_to(self, page: Page, position: int) -> None:
        """Nothing to do: a page that is loaded anew is where its reader was."""

    def version(self, _: str) -> int:
        """A number that changes with every commit of another program."""
        return int(self._reader.execute("PRAGMA data_version").fetchone()[0])

    def stored(self, annotator: str) -> dict[int, dict[str, int]]:
        """What another program finds in the database now: by position and question, the option, from 0."""
        found: dict[int, dict[str, int]] = defaultdict(dict)
        for position, name, value, first in self._read(STORED, annotator):
            found[position][BY_ID[name].label] = option_of(BY_ID[name], value, first)
        return dict(found)

    def doubled(self, annotator: str) -> int:
        """How many submissions there are beyond the first of each item."""
        return sum(times - 1 for name, _, times in self._read(SUBMITTED) if name == annotator)

    def _read(self, query: str, *values: str) -> list[tuple]:  # type: ignore[type-arg]
        return self._reader.execute(query, values).fetchall()

    @cached_property
    def _reader(self) -> sqlite3.Connection:
        return sqlite3.connect(f"file:{self.database}?mode=ro", uri=True, timeout=30)


def annotators(database: Path) -> list[int]:
    """Everybody's number."""
    connection = sqlite3.connect(database)
    try:
        return [number for (number,) in connection.execute("SELECT id FROM annotator ORDER BY id")]
    finally:
        connection.close()


def submit_all(database: Path, annotator: int) -> None:
    """Submit each of an annotator's items once, one after the other."""
    from annotate_app.questions import Entry
    from annotate_app.store import shared_store

    store = shared_store(database)
    for number, place in enumerate(store.places(annotator)):
        answers = {asked.id: asked.values[1 + number % 3] if asked.values else "AB"[number % 2] for asked in QUESTIONS}
        done = store.submit(annotator, place.presentation, 1, Entry(answers, {"": f"item {number}"}))
        assert done.outcome == "saved", done
