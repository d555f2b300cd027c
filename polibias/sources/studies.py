"""Study files: `studies/<name>.toml` by name or path."""

from pathlib import Path
from urllib.parse import urlsplit

from polibias.domain.ids import canonical
from polibias.domain.study import AnyModel, OpenAIHTTP, Study
from polibias.errors import InputError
from polibias.sources.files import no_such, read_text, read_toml

FOLDER = Path("studies")
OWN_FIELDS = frozenset({"messages", "model", "stream", "max_tokens", "temperature", "top_p", "seed", "response_format"})


def find_study(name: str) -> Path:
    """The file that `name` means: a path, or the name of a file in `studies/`."""
    path = Path(name)
    if path.suffix == ".toml" or "/" in name:
        return path
    known = {file.stem: file for file in sorted(FOLDER.glob("*.toml"))}
    if name not in known:
        raise no_such("study", name, known, f"{FOLDER}/")
    return known[name]


def read_study(path: Path) -> Study:
    """The declared study, with the checks that need no other file."""
    study = read_toml(path, Study)
    if not study.items or not study.models or not study.judges:
        raise InputError(f"{path}: a study needs at least one of each: items, models, judges")
    for role, specs in (("models", study.models), ("judges", study.judges)):
        names = [spec.name for spec in specs]
        for name in names:
            if names.count(name) > 1:
                raise InputError(f"{path}: two {role} are named '{name}'")
        for spec in specs:
            _check_spec(path, role, spec)
    return study


def _check_spec(path: Path, role: str, spec: AnyModel) -> None:
    if role == "models" and spec.max_tokens < 1:
        raise InputError(f"{path}: model '{spec.name}' needs max_tokens, the longest reply it may give")
    if isinstance(spec, OpenAIHTTP):
        _check_url(path, spec)
        for name in sorted(spec.extra.keys() & OWN_FIELDS):
            raise InputError(f"{path}: '{spec.name}': extra cannot replace '{name}', which the study itself sets")
        try:
            canonical(spec.extra)
        except (TypeError, ValueError):
            raise InputError(f"{path}: '{spec.name}': extra holds a value that JSON cannot say") from None


def _check_url(path: Path, spec: OpenAIHTTP) -> None:
    try:
        parts = urlsplit(spec.url)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        good = good and spec.url.isascii() and spec.url.isprintable()
    except ValueError:
        good = False
    if not good:
        raise InputError(f"{path}: '{spec.name}': url must start with http:// or https:// and name a host")
    if parts.username or parts.password or parts.query:
        raise InputError(f"{path}: '{spec.name}': no credentials in url; name an environment variable in api_key_env")


def study_text(path: Path) -> str:
    """The file as written, kept with the run."""
    return read_text(path)
