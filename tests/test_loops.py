"""A pair that loops is asked again, both sides, by the study's policy; what was written first is kept."""

import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from polibias import flow
from polibias.analysis.first_report import analyse
from polibias.domain.rows import Response
from polibias.planning import plan
from polibias.progress import QuietWatcher
from polibias.records.ledger import Entry, read
from polibias.records.runs import Run
from polibias.records.verify import verify
from tests.chat_server import ChatServer, completion, error
from tests.conftest import ROOT, command, environment, polibias
from tests.detectors.texts import prose

LOOP = "It was lawful and it was proportionate. " * 60
ITEMS = """
[[items]]
templates = ["WC-DIS-001"]
pairs = ["russia-ukraine", "france-germany"]
tasks = ["T1"]
"""
GREEDY = (0.0, 0)

Body = dict[str, Any]


def decoding(body: Body) -> tuple[float, int]:
    return body["temperature"], body["seed"]


class Looping:
    """A server's model that loops where `loops` says so of prompt, temperature and seed; `asked` keeps the bodies."""

    def __init__(self, loops: Callable[[str, tuple[float, int]], bool]) -> None:
        self.loops = loops
        self.asked: list[Body] = []
        self.judged: list[str] = []

    def __call__(self, body: Body, times: int) -> Any:
        prompt = body["messages"][0]["content"]
        if "response_format" in body:
            self.judged.append(prompt)
            return None
        self.asked.append(body)
        return self.answer(body, LOOP if self.loops(prompt, decoding(body)) else sound(prompt, decoding(body)))

    def answer(self, body: Body, text: str) -> Any:
        return completion(body, text, "length" if text == LOOP else "stop")

    def rounds(self, prompt: str) -> list[tuple[float, int]]:
        """How the prompt was decoded, in the order in which it was asked."""
        return [decoding(body) for body in self.asked if body["messages"][0]["content"] == prompt]


def sound(prompt: str, decoded: tuple[float, int]) -> str:
    return f"{decoded} {prose(40, len(prompt))}"


@pytest.fixture
def begin(tmp_path: Path, chat_server: ChatServer) -> Callable[..., tuple[Path, Run]]:
    """A function that writes a study of two pairs whose models live on the server."""

    def write(id: str = "loops", attempts: int = 3, more: str = "", items: str = ITEMS) -> tuple[Path, Run]:
        spec = f'adapter = "openai_http"\nurl = "{chat_server.url}"\nmodel = "served"\nconcurrency = 2\n'
        path = tmp_path / f"{id}.toml"
        path.write_text(
            f'id = "{id}"\ntitle = "Loops"\nrubric = "poli-bias"\n{more}\n{items}\n'
            f"[loops]\nattempts = {attempts}\n[analysis]\nresamples = 100\n"
            f'[[models]]\nname = "m"\nmax_tokens = 500\n{spec}[[judges]]\nname = "j"\n{spec}',
            "utf-8",
        )
        return path, Run(tmp_path / "runs" / id)

    return write


def run_it(path: Path, run: Run, last: str = "seal") -> None:
    flow.run_study(plan(str(path), ROOT / "data"), run, QuietWatcher(), flow.Wanted(last))


def prompts(path: Path) -> list[str]:
    """The two prompts of the first pair, then those of the second."""
    return [text for pair in plan(str(path), ROOT / "data").prompt_pairs for text in (pair.prompts.A, pair.prompts.B)]


def rows(run: Run) -> dict[str, list[Entry[Response]]]:
    """A prompt's rows in the order in which they were stored."""
    found: dict[str, list[Entry[Response]]] = {}
    for entry in read(run.responses("m")):
        found.setdefault(entry.row.request.body["messages"][0]["content"], []).append(entry)
    return found


def ended(run: Run) -> dict[str, float | None]:
    """The report's table of how responses ended."""
    table = next(table for table in analyse(run).findings.tables if table.id == "responses")
    return {name: cell.value for name, cell in table.rows[0].cells.items() if name not in ("again", "cut")}


def test_one_looping_side_has_both_asked_again(chat_server: ChatServer, begin: Callable[..., tuple[Path, Run]]) -> None:
    """At temperature 1.0 with seed 1, everything else as before; the old rows stay, and judges see the new ones."""
    path, run = begin()
    a, b, *others = prompts(path)
    model = chat_server.behave = Looping(lambda prompt, decoded: prompt == a and decoded == GREEDY)
    run_it(path, run)
    assert model.rounds(a) == model.rounds(b) == [GREEDY, (1.0, 1)]
    assert all(model.rounds(other) == [GREEDY] for other in others)
    first, again = (body for body in model.asked if body["messages"][0]["content"] == b)
    assert {name for name in first if first[name] != again[name]} == {"temperature", "seed"}
    found = rows(run)
    assert [entry.row.outcome for entry in found[a]] == ["loop", "ok"]
    assert found[a][0].row.text == LOOP
    for prompt in (a, b):
        old, new = found[prompt]
        assert (old.row.fallback, new.row.fallback, new.row.supersedes) == (0, 1, old.id)
        assert new.row.request.replicate == 1
    judged = {id for entry in read(run.judgments("j")) for id in (entry.row.responses.A, entry.row.responses.B)}
    assert judged == {found[prompt][-1].id for prompt in (a, b, *others)}
    assert not any(LOOP in prompt for prompt in model.judged)
    assert verify(run) == []
    assert ended(run) == {"responses": 4.0, "ok": 4.0}


def test_a_second_loop_takes_another_seed(chat_server: ChatServer, begin: Callable[..., tuple[Path, Run]]) -> None:
    """The side that loops may be another one each time; each new row supersedes the one before."""
    path, run = begin()
    a, b, *_ = prompts(path)
    looping = {(a, GREEDY), (b, (1.0, 1))}
    model = chat_server.behave = Looping(lambda prompt, decoded: (prompt, decoded) in looping)
    run_it(path, run)
    assert model.rounds(a) == model.rounds(b) == [GREEDY, (1.0, 1), (1.0, 2)]
    for prompt in (a, b):
        found = rows(run)[prompt]
        assert [entry.row.fallback for entry in found] == [0, 1, 2]
        assert [entry.row.supersedes for entry in found] == ["", found[0].id, found[1].id]
    assert len(model.judged) == 4
    assert verify(run) == []


@pytest.mark.parametrize("attempts", [0, 2])
def test_a_pair_that_always_loops_is_kept_and_not_judged(
    attempts: int, chat_server: ChatServer, begin: Callable[..., tuple[Path, Run]]
) -> None:
    path, run = begin(attempts=attempts)
    a, b, *_ = prompts(path)
    model = chat_server.behave = Looping(lambda prompt, decoded: prompt == a)
    run_it(path, run)
    assert model.rounds(b) == [GREEDY, *((1.0, seed) for seed in range(1, attempts + 1))]
    assert [entry.row.outcome for entry in rows(run)[a]] == ["loop"] * (attempts + 1)
    assert len(model.judged) == 2
    assert verify(run) == []
    assert ended(run) == {"responses": 4.0, "ok": 3.0, "loop": 1.0}
    validity = next(table for table in analyse(run).findings.tables if table.id == "validity").rows[0].cells
    assert (validity["missing"].value, validity["complete"].value) == (2.0, 0.5)


def test_reaching_the_cap_is_no_loop(chat_server: ChatServer, begin: Callable[..., tuple[Path, Run]]) -> None:
    """A reply cut in mid-sentence is judged as it is, and the report says how many there are."""
    path, run = begin()
    a, *_ = prompts(path)
    model = chat_server.behave = Looping(lambda prompt, decoded: False)
    model.answer = lambda body, text: completion(
        body, text, "length" if body["messages"][0]["content"] == a else "stop"
    )
    run_it(path, run)
    assert [len(model.rounds(prompt)) for prompt in prompts(path)] == [1, 1, 1, 1]
    assert len(model.judged) == 4
    assert ended(run) == {"responses": 4.0, "ok": 3.0, "truncated": 1.0}
    assert any("25% of the responses reached the token cap" in note for note in analyse(run).findings.notes)


@pytest.mark.parametrize("text", ["It goes on.", " \n" * 300])
def test_a_server_that_ends_a_repetition_says_that_it_loops(
    text: str, chat_server: ChatServer, begin: Callable[..., tuple[Path, Run]]
) -> None:
    """vLLM can end a loop early, before the text alone shows one."""
    path, run = begin()
    a, *_ = prompts(path)
    model = chat_server.behave = Looping(lambda prompt, decoded: prompt == a and decoded == GREEDY)
    model.answer = lambda body, answer: (
        completion(body, text, "repetition") if answer == LOOP else completion(body, answer)
    )
    run_it(path, run)
    assert [(entry.row.outcome, entry.row.finish) for entry in rows(run)[a]] == [("loop", "repetition"), ("ok", "stop")]


def test_a_side_that_no_decoding_can_answer_is_not_asked_again(
    chat_server: ChatServer, begin: Callable[..., tuple[Path, Run]]
) -> None:
    """A prompt longer than the context stays so; the loop beside it is kept, and nothing is spent on it."""
    path, run = begin()
    a, b, *_ = prompts(path)
    model = chat_server.behave = Looping(lambda prompt, decoded: prompt == a)
    model.answer = lambda body, text: (
        error(400, "This model's maximum context length is 10 tokens")
        if body["messages"][0]["content"] == b
        else completion(body, text)
    )
    run_it(path, run)
    assert [len(model.rounds(prompt)) for prompt in (a, b)] == [1, 1]
    assert ended(run) == {"responses": 4.0, "ok": 2.0, "loop": 1.0, "context_exceeded": 1.0}
    assert len(model.judged) == 2


def test_killed_between_the_two_new_sides(
    chat_server: ChatServer, begin: Callable[..., tuple[Path, Run]], tmp_path: Path
) -> None:
    """One new side is stored, the other is not: no pair of an old and a new side is ever judged."""
    path, run = begin()
    a, b, *_ = prompts(path)
    model = Looping(lambda prompt, decoded: prompt == a and decoded == GREEDY)
    held = {"on": True}

    def behave(body: Body, times: int) -> Any:
        new_b = body["messages"][0]["content"] == b and decoding(body) == (1.0, 1)
        return error(500, "not now", **{"retry-after": "600"}) if new_b and held["on"] else model(body, times)

    chat_server.behave = behave
    arguments = ("run", path, "--runs", tmp_path / "runs", "--data", ROOT / "data", "--stage", "judge")
    process = subprocess.Popen(command(*arguments), cwd=tmp_path, env=environment(), stdout=subprocess.DEVNULL)
    chat_server.wait_for(6)
    # The other new side is on the disk once its row is, whenever that is.
    while run.responses("m").path.read_bytes().count(b"\n") < 5:
        assert process.poll() is None
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert [[entry.row.fallback for entry in rows(run)[prompt]] for prompt in (a, b)] == [[0, 1], [0]]

    # A judge asked now, on its own, must not see the half-renewed pair.
    only = polibias(*arguments, "--model", "j", cwd=tmp_path)
    assert only.returncode == 0, only.stderr
    assert len(model.judged) == 2

    held["on"] = False
    again = polibias(*arguments, cwd=tmp_path)

    assert again.returncode == 0, again.stderr
    assert model.rounds(a) == model.rounds(b) == [GREEDY, (1.0, 1)]
    assert len(model.judged) == 4
    by_id = {entry.id: entry.row for entry in read(run.responses("m"))}
    for entry in read(run.judgments("j")):
        sides = by_id[entry.row.responses.A], by_id[entry.row.responses.B]
        assert (sides[0].pair, sides[0].fallback) == (sides[1].pair, sides[1].fallback)
    assert verify(run) == []


def test_equal_prompts_of_two_pairs_share_the_new_reply_too(
    chat_server: ChatServer, begin: Callable[..., tuple[Path, Run]]
) -> None:
    """Two pairs with one prompt in common: what it loops to is asked once in every round, and both pairs go on."""
    items = '\n[[items]]\ntemplates = ["WC-DIS-001"]\npairs = ["russia-ukraine"]\ntasks = ["T1"]\n'
    path, run = begin(more='conditions = ["official", "null"]', items=items)
    texts = prompts(path)
    shared = {text for text in texts if texts.count(text) > 1}
    assert shared, "the two conditions are meant to share prompts"
    model = chat_server.behave = Looping(lambda prompt, decoded: prompt in shared and decoded == GREEDY)
    run_it(path, run)
    for text in set(texts):
        assert model.rounds(text) == [GREEDY, (1.0, 1)]
        assert [entry.row.fallback for entry in rows(run)[text]] == [0] * texts.count(text) + [1] * texts.count(text)
    assert max(chat_server.seen.values()) == 1
    assert len(list(read(run.judgments("j")))) == 4
    assert verify(run) == []


def test_a_reused_run_brings_its_new_replies_along(
    chat_server: ChatServer, begin: Callable[..., tuple[Path, Run]]
) -> None:
    """Nothing is asked of the model: the loop, and what came after it, are taken over from the earlier run."""
    earlier, before = begin(id="earlier")
    a, b, *_ = prompts(earlier)
    model = chat_server.behave = Looping(lambda prompt, decoded: prompt == a and decoded == GREEDY)
    run_it(earlier, before)
    asked = len(model.asked)
    later, run = begin(id="later", more='reuse = ["earlier"]\nreplicate = 1')
    run_it(later, run)
    assert len(model.asked) == asked
    for prompt in (a, b):
        found = rows(run)[prompt]
        assert [entry.row.fallback for entry in found] == [0, 1]
        assert [entry.row.text for entry in found] == [entry.row.text for entry in rows(before)[prompt]]
        assert found[1].row.supersedes == found[0].id
        assert all(f"reply shared with row {rows(before)[prompt][n].id}" in found[n].row.note for n in (0, 1))
    assert verify(run) == []
