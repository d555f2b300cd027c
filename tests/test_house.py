"""The house keeps its own rules: import contracts, sizes, names, and nothing of this machine in it."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import polibias
from tests.conftest import ROOT

PACKAGES = ("polibias", "annotate_app")
LONGEST_MODULE = 400
LONGEST_BODY = 40
BANNED_NAMES = {"utils", "helpers", "manager", "common", "misc"}
TEXT = {".py", ".md", ".toml", ".txt", ".html", ".css", ".js", ".cfg", ".csv", ".json", ""}


def modules() -> list[Path]:
    return [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]


def committed() -> list[Path]:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [ROOT / name for name in listed.splitlines() if (ROOT / name).suffix in TEXT and (ROOT / name).is_file()]


def functions(path: Path) -> Iterator[tuple[str, int]]:
    """Each function's name and the lines of its body without the docstring."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            length = (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0
            yield f"{path.relative_to(ROOT)}:{node.lineno} {node.name}", length


def test_import_contracts_hold() -> None:
    done = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout


def test_modules_and_functions_stay_small() -> None:
    long_modules = {str(path): n for path in modules() if (n := path.read_text("utf-8").count("\n")) > LONGEST_MODULE}
    long_bodies = {name: n for path in modules() for name, n in functions(path) if n > LONGEST_BODY}
    assert (long_modules, long_bodies) == ({}, {})


def test_every_room_has_a_name_and_a_purpose() -> None:
    """No catch-all module; every module says what it is for."""
    assert [path for path in modules() if path.stem in BANNED_NAMES] == []
    assert [path for path in modules() if not ast.get_docstring(ast.parse(path.read_text("utf-8")))] == []


def test_public_functions_say_what_holds() -> None:
    missing = [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"
        for path in modules()
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_") and not ast.get_docstring(node)
    ]
    assert missing == []


def test_nothing_of_a_machine_or_a_registry_is_committed() -> None:
    hosts = re.compile(r"pypi\.(?:org)|python(?:hosted)\.org|registry\.(?:npmjs)|deb\.(?:debian)\.org")
    places = re.compile(r"(?<![\w.])/(?:work|root|home/\w+)/")
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in committed()
        if path != Path(__file__)
        for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1)
        if hosts.search(line) or places.search(line)
    ]
    assert found == []


def test_no_global_random_state() -> None:
    banned = re.compile(r"\brandom\.(?:seed|random|shuffle|choice)\(|np\.random\.(?:seed|rand|choice|shuffle)\b")
    assert [path for path in modules() if banned.search(path.read_text("utf-8"))] == []


def test_version_is_said_once_and_the_changelog_knows_it() -> None:
    assert f'version = "{polibias.__version__}"' in (ROOT / "pyproject.toml").read_text("utf-8")
    assert f"## {polibias.__version__}" in (ROOT / "CHANGELOG.md").read_text("utf-8")


@pytest.mark.parametrize("module", ["polibias.cli", "annotate_app.cli"])
def test_command_lines_import_nothing_heavy(module: str) -> None:
    """`--help` must be instant, so the heavy libraries load only where they are used."""
    heavy = ("numpy", "scipy", "pandas", "streamlit", "sqlmodel", "altair", "httpx2", "aiohttp", "jinja2", "xllamacpp")
    code = f"import sys, {module}; print([name for name in {heavy!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_documented_commands_exist() -> None:
    """Every `polibias …` and `make …` in README and docs is one that exists."""
    from polibias.cli import parser

    known = set(re.findall(r"^    (\w+)\s", parser().format_help(), re.MULTILINE))
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    assert {"run", "verify", "report", "agreement"} <= known
    for path in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]:
        shown = re.findall(r"^ *(?:\$ )?(polibias|make) (\w+)", path.read_text("utf-8"), re.MULTILINE)
        assert [(tool, word) for tool, word in shown if word not in (known if tool == "polibias" else targets)] == []
