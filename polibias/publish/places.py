"""Where published files go: beside the run, never into it, never over anything, and whole or not at all."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from polibias.errors import InputError
from polibias.records.documents import storing
from polibias.records.runs import Run


def require_sealed(run: Run) -> None:
    """Raises InputError unless the run is finished."""
    if not run.sealed:
        raise InputError(f"{run.folder}: not sealed yet; finish it with polibias run first")


def beside(run: Run, ending: str) -> Path:
    """The run's own name with an ending, in the folder that the run lies in."""
    folder = run.folder.resolve()
    return folder.with_name(folder.name + ending)


def check_place(run: Run, out: Path) -> None:
    """Raises InputError for a place within the run, whose seal would no longer hold."""
    if out.resolve().is_relative_to(run.folder.resolve()):
        raise InputError(f"--out {out}: lies within the run, which is sealed; name a place outside it")


@contextmanager
def filling(folder: Path) -> Iterator[Path]:
    """A new folder to fill: it takes the place of `folder` once the block ends well, and leaves nothing if it does not.

    Raises InputError unless `folder` is missing or empty.
    """
    _check_empty(folder)
    folder = folder.absolute()
    with storing(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        building = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        with storing(folder):
            building.chmod(0o755)
            yield building
            building.rename(folder)
    finally:
        shutil.rmtree(building, ignore_errors=True)


def _check_empty(folder: Path) -> None:
    if folder.is_dir() and not any(folder.iterdir()):
        return
    if folder.exists() or folder.is_symlink():
        raise InputError(f"{folder}: is there already, and nothing is overwritten; name another place with --out")
