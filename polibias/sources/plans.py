"""Plans of validation, `prereg/*.toml` by name or path."""

from pathlib import Path

from polibias.domain.plan import Plan
from polibias.errors import InputError
from polibias.sources.files import no_such, read_toml

FOLDER = Path("prereg")


def find_plan(name: str, folder: Path = FOLDER) -> Path:
    """The file that `name` means: a path, or the name of a file in `folder`."""
    path = Path(name)
    if path.suffix == ".toml" or "/" in name:
        return path
    known = {file.stem: file for file in sorted(folder.glob("*.toml"))}
    if name not in known:
        raise no_such("plan", name, known, f"{folder}/")
    return known[name]


def read_plan(path: Path) -> Plan:
    """The declared plan. Raises InputError, naming file and place, for what cannot be read."""
    plan = read_toml(path, Plan)
    if plan.id != path.stem:
        raise InputError(f"{path}: its id is '{plan.id}'; name the file {plan.id}.toml or correct the id")
    if plan.sample and len(set(plan.sample.judges)) < len(plan.sample.judges):
        raise InputError(f"{path}: it compares judge '{plan.sample.judges[0]}' with itself; name two")
    if plan.sample and len(plan.sample.judges) == 1:
        for stratum in plan.sample.strata:
            if stratum.rule != "uniform":
                where = f"{path}: stratum '{stratum.name}'"
                raise InputError(f"{where} is drawn by how far two judges lie apart; name two, or draw it uniform")
    return plan
