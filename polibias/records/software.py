"""The software that a run is made with: this package, Python, and every package that they rest on."""

import hashlib
import platform
import re
from importlib import metadata
from pathlib import Path
from typing import Any

from polibias import __version__
from polibias.domain.ids import tagged_hash

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
DEVELOPMENT = re.compile(r"extra\s*==\s*[\"'](?:dev|crosscheck)[\"']")
EXTRA = re.compile(r"\bextra\s*==")


def software() -> dict[str, Any]:
    """Versions by name. Packages are those that this one asks for, and those that they ask for, as far as installed."""
    found: dict[str, str] = {}
    waiting = [name for name in _asked_for("polibias") if name != "polibias"]
    while waiting:
        name = waiting.pop()
        if name not in found and (version := _version(name)):
            found[name] = version
            waiting += _asked_for(name)
    return {"polibias": __version__, "python": platform.python_version(), "packages": dict(sorted(found.items()))}


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


def _asked_for(name: str) -> list[str]:
    """What a package requires, in one spelling; of its extras only this package's own, which bring models."""
    try:
        required = metadata.requires(name) or []
    except metadata.PackageNotFoundError:
        return []
    passed_over = DEVELOPMENT if name == "polibias" else EXTRA
    names = (NAME.match(line) for line in required if not passed_over.search(line))
    return [re.sub(r"[-_.]+", "-", match[0]).lower() for match in names if match]


def code_hash() -> str:
    """Names the code of this package as it lies on the disk: a hash over every module's path and content."""
    root = Path(__file__).parent.parent
    modules = sorted(root.rglob("*.py"))
    return tagged_hash("code/1", {path.relative_to(root).as_posix(): _sha256(path) for path in modules})


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
