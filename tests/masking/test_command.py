"""`polibias mask` as a person uses it: text in, text out, and an exit code that tells whether it is whole."""

import json
import subprocess
from pathlib import Path

from tests.conftest import ROOT, command, environment, polibias

TEXT = "The US said Beijing’s claims were “new”.\r\n\r\nNo newline at the end"


def masked(*arguments: str, text: str | bytes = TEXT) -> subprocess.CompletedProcess[bytes]:
    raw = text.encode() if isinstance(text, str) else text
    return subprocess.run(command("mask", *arguments), cwd=ROOT, env=environment(), input=raw, capture_output=True)


def test_only_the_terms_change() -> None:
    done = masked("--pair", "china-united-states")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode() == "Country Y said Country X’s claims were “new”.\r\n\r\nNo newline at the end"


def test_the_pair_may_be_given_in_reverse() -> None:
    assert masked("--pair", "united-states-china").stdout.decode().startswith("Country X said Country Y’s")


def test_explain_is_a_table() -> None:
    done = masked("--pair", "china-united-states", "--explain")
    lines = done.stdout.decode().splitlines()
    assert lines[0].split() == ["span", "class", "text", "became", "rule"]
    assert " ".join(lines[2].split()) == "4-6 abbreviation US Country Y united-states short: US"
    assert lines[-1] == "masked: 3 replaced"


def test_json_rebuilds_the_text() -> None:
    found = json.loads(masked("--pair", "china-united-states", "--json").stdout)
    assert (found["status"], found["level"], found["leaks"]) == ("masked", "full", [])
    rebuilt, done = "", 0
    for one in found["replacements"]:
        rebuilt += TEXT[done : one["start"]] + one["text"]
        done = one["end"]
    assert rebuilt + TEXT[done:] == found["text"]


def test_names_only_is_the_baseline() -> None:
    done = masked("--pair", "china-united-states", "--names-only")
    assert done.stdout.decode().startswith("Country Y said Beijing’s")


def test_what_is_not_whole_is_not_printed_as_if_it_were() -> None:
    done = masked("--pair", "china-united-states", text="An Americanized China")
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.decode() == "polibias: not whole: 'Americanized' is left, begins with 'americ'\n"
    found = json.loads(masked("--pair", "china-united-states", "--json", text="An Americanized China").stdout)
    assert (found["status"], found["text"]) == ("leaking", "An Americanized Country X")


def test_junk_is_refused_in_one_line() -> None:
    done = masked("--pair", "china-united-states", text=bytes(range(256)) * 8)
    assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (1, b"", 1)
    assert done.stderr.startswith(b"polibias: not masked: it is no text")


def test_single_bad_bytes_come_out_as_they_came_in() -> None:
    done = masked("--pair", "china-united-states", text=b"China\xff and \xe9t\xe9")
    assert done.stdout == b"Country X\xff and \xe9t\xe9"


def test_nothing_in_is_nothing_out() -> None:
    done = masked("--pair", "china-united-states", text="")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_an_unknown_pair_is_one_line(tmp_path: Path) -> None:
    done = polibias("mask", "--pair", "china-peru", cwd=tmp_path, input="x")
    assert (done.returncode, done.stdout) == (2, "")
    assert "no file for china-peru" in done.stderr
    assert done.stderr.count("\n") == 1
