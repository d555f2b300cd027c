"""Potato (`potato-annotation`, GPL-3) as a tool that the script works: its own package, run as it comes.

It is only ever started and looked at from outside, through its page and the files it writes. Its configuration follows
its documentation (quick start, `instance_display`, `label_requirement`, `user_config_path`): the same two responses
side by side, the same questions as required radio questions, passwords, and sessions that outlive a restart.
"""

import json
import subprocess
from collections.abc import Iterable
from pathlib import Path

from playwright.sync_api import BrowserContext, Locator, Page

from polibias.domain.rubric import Rubric
from tests.app.conftest import ROOT, RUBRIC
from tests.bench.our_app import questions, topics
from tests.bench.served import Served, free_port

COMMAND = ROOT / ".venv-rivals" / "bin" / "potato"
OPTIONS = ("first", "second", "none")
FAVOURED = ["Iran", "Israel", "None"]

# The number in the item's id once its page has finished loading and all of its questions stand there, else 0.
AT = """
() => {
  const item = /^item-(\\d+)$/.exec(document.querySelector('#instance_id')?.value ?? '');
  const loading = document.querySelector('#loading-state');
  const asked = document.querySelectorAll('form.annotation-form.radio').length;
  const busy = !loading || getComputedStyle(loading).display !== 'none' || document.readyState !== 'complete';
  return item && !busy && asked === QUESTIONS ? Number(item[1]) : 0;
}
"""


class Potato:
    """A task folder with its server."""

    name = "Potato"

    def __init__(self, folder: Path, items: int, rubric: Rubric = RUBRIC) -> None:
        self.folder, self.items = folder, items
        self.asked = questions(rubric)
        self.questions = tuple(asked.label for asked in self.asked)
        self.at = AT.replace("QUESTIONS", str(len(self.questions)))
        (folder / "data").mkdir(parents=True)
        _write_lines(folder / "data" / "items.jsonl", _items(items))
        # JSON is YAML too.
        (folder / "config.yaml").write_text(json.dumps(self._configuration(rubric), indent=1), "utf-8")
        port = free_port()
        self.server = Served((COMMAND, "start", "config.yaml", "-p", str(port)), folder, port, {})

    def _configuration(self, rubric: Rubric) -> dict[str, object]:
        scores = [str(level.score) for level in rubric.levels]
        return {
            "port": 8000,
            "annotation_task_name": rubric.title,
            "task_dir": ".",
            "data_files": ["data/items.jsonl"],
            "item_properties": {"id_key": "id", "text_key": "first"},
            "output_annotation_dir": "annotation_output/",
            "user_config": {"allow_all_users": True, "users": []},
            "require_password": True,
            "authentication": {"method": "in_memory", "user_config_path": "users.jsonl"},
            "persist_sessions": True,
            "secret_key": "a key of this bench alone",
            "assignment_strategy": "fixed_order",
            "instance_display": {
                "layout": {"direction": "horizontal", "gap": "24px"},
                "fields": [
                    {"key": "first", "type": "text", "label": "Version 1"},
                    {"key": "second", "type": "text", "label": "Version 2"},
                ],
            },
            "annotation_schemes": [
                {
                    "annotation_type": "radio",
                    "name": _scheme(asked.id),
                    "description": asked.label,
                    "labels": scores if asked.values else FAVOURED,
                    "label_requirement": {"required": True},
                }
                for asked in self.asked
            ],
        }

    def configured(self) -> str:
        """What is measured, in a line."""
        python = COMMAND.with_name("python")
        code = "import importlib.metadata as m; print(m.version('potato-annotation'))"
        version = subprocess.run([python, "-c", code], check=True, capture_output=True, text=True).stdout.strip()
        return (
            f"{self.name} {version} as `potato start` starts it; fixed order, {len(self.questions)} required radio "
            "questions, passwords in a file, persisted sessions; nothing else changed"
        )

    def enter(self, context: BrowserContext, annotator: str) -> Page:
        """The page of somebody who has just registered, at the first item."""
        page = context.new_page()
        page.goto(self.server.url)
        page.locator("#register-tab").click()
        page.locator("#register-email").fill(annotator)
        page.locator("#register-pass").fill("a password of 32 letters and so on")
        page.locator("form[action='/register'] button[type=submit]").click()
        page.locator("#instance_id").wait_for(state="attached")
        return page

    def option(self, page: Page, question: str, option: int) -> Locator:
        """The radio button of an option, from 0."""
        asked = self.asked[self.questions.index(question)]
        return page.locator(f"input[type=radio][name='{_scheme(asked.id)}']").nth(option)

    @staticmethod
    def next_button(page: Page) -> Locator:
        return page.locator("#next-btn")

    @staticmethod
    def go_to(page: Page, position: int) -> None:
        """Go to an item by its number, with the control at the top of the page."""
        page.locator("#go_to").fill(str(position))
        page.locator("#go-to-btn").click()

    def version(self, annotator: str) -> int:
        """A number that changes whenever the annotator's file is written."""
        path = self._file(annotator)
        return path.stat().st_mtime_ns if path.exists() else 0

    def stored(self, annotator: str) -> dict[int, dict[str, int]]:
        """What another program finds in the annotator's file now: by position and question, the option, from 0."""
        return {
            int(item.rpartition("-")[2]): {
                asked.label: self._options(asked.label).index(name)
                for asked in self.asked
                for label, _ in labels
                for name in [label["name"]]
                if label["schema"] == _scheme(asked.id)
            }
            for item, labels in self._state(annotator).items()
        }

    def _options(self, question: str) -> list[str]:
        asked = self.asked[self.questions.index(question)]
        return list(asked.values) or FAVOURED

    def doubled(self, annotator: str) -> int:
        """How many options are stored beyond one for each question answered."""
        return sum(
            len(labels) - len({label["schema"] for label, _ in labels}) for labels in self._state(annotator).values()
        )

    def _state(self, annotator: str) -> dict[str, list[tuple[dict[str, str], str]]]:
        try:
            found = json.loads(self._file(annotator).read_text("utf-8"))["instance_id_to_label_to_value"]
        except (FileNotFoundError, json.JSONDecodeError):
            return {}
        return dict(found)

    def _file(self, annotator: str) -> Path:
        return self.folder / "annotation_output" / annotator / "user_state.json"


def _scheme(question: str) -> str:
    return question.replace(".", "-")


def _items(count: int) -> Iterable[dict[str, str]]:
    for number, topic in enumerate(topics(count), start=1):
        yield {"id": f"item-{number}", "first": topic.texts[0], "second": topic.texts[1]}


def _write_lines(path: Path, rows: Iterable[dict[str, str]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
