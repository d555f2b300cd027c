"""What a run needs of this machine: Python, packages, the embedded model, keys, a place on the disk."""

import importlib.metadata
import os
import platform
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from polibias.domain.study import Panel, Served
from polibias.errors import PoliBiasError
from polibias.models.llama_local import packaged_model
from polibias.sources.files import data_folder, read_toml
from polibias.sources.studies import FOLDER, PANELS

GIB = 1 << 30
SCARCE = 1.0
OLDEST = (3, 11)
# What each optional package is for.
OPTIONAL = {
    "anthropic": "Claude through Anthropic's interface: pip install 'polibias[anthropic]'",
    "xllamacpp": "the embedded model: pip install 'polibias[local]'",
    "vllm": "vLLM in this process: pip install 'polibias[vllm]'",
}
REQUIRED = ("msgspec", "numpy", "scipy", "pandas", "httpx2", "aiohttp", "altair", "jinja2", "streamlit")


class Finding(NamedTuple):
    """One thing that was looked at. `holds` is None for what a run can do without."""

    what: str
    holds: bool | None
    said: str


def examine(data: Path | None, runs: Path) -> list[Finding]:
    """Everything there is to say of this machine. Values of keys are never read into it."""
    return [*_python(), *_packages(), _embedded(), _data(data), *_keys(), _disk(runs)]


def _python() -> Iterator[Finding]:
    version = f"{platform.python_version()} on {platform.system()} {platform.machine()}, {os.cpu_count()} processors"
    yield Finding("Python", sys.version_info >= OLDEST, version)


def _packages() -> Iterator[Finding]:
    for name in REQUIRED:
        found = _version(name)
        yield Finding(name, bool(found), found or "missing; install polibias again")
    for name, purpose in OPTIONAL.items():
        found = _version(name)
        yield Finding(name, True if found else None, found or f"not installed; needed for {purpose}")


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""


def _embedded() -> Finding:
    try:
        path = packaged_model()
        return Finding("embedded model", True, f"{path.name}, {path.stat().st_size / 2**20:.0f} MiB")
    except (PoliBiasError, OSError) as error:
        return Finding("embedded model", None, str(error))


def _data(data: Path | None) -> Finding:
    try:
        return Finding("data folder", True, str(data or data_folder()))
    except PoliBiasError as error:
        return Finding("data folder", False, str(error))


def _keys() -> Iterator[Finding]:
    """Which of the keys that the panels here name are set, and for which models."""
    wanted: dict[str, set[str]] = {}
    for path in sorted((FOLDER / PANELS).glob("*.toml")):
        try:
            panel = read_toml(path, Panel)
        except PoliBiasError as error:
            yield Finding(path.name, False, str(error))
            continue
        for spec in (*panel.models, *panel.judges):
            if isinstance(spec, Served) and spec.api_key_env:
                wanted.setdefault(spec.api_key_env, set()).add(spec.name)
    for variable, names in sorted(wanted.items()):
        there = bool(os.environ.get(variable))
        said = f"{'set' if there else 'not set'}; for {len(names)} models of the panels here"
        yield Finding(variable, True if there else None, said)


def _disk(runs: Path) -> Finding:
    """Free space where runs are kept, at the nearest folder that exists."""
    place = next(folder for folder in (runs.absolute(), *runs.absolute().parents) if folder.is_dir())
    free = shutil.disk_usage(place).free / GIB
    writable = os.access(place, os.W_OK)
    said = f"{free:,.1f} GiB free for {runs}" + ("" if writable else ", which cannot be written")
    return Finding("disk", writable and free >= SCARCE, said)
