"""Study files: `studies/<name>.toml` by name or path."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec

from polibias.domain.ids import canonical
from polibias.domain.study import AnyModel, OpenAIHTTP, Panel, Served, Study, VLLMOffline
from polibias.errors import InputError
from polibias.sources.files import no_such, read_text, read_toml

FOLDER = Path("studies")
PANELS = "panels"
ORIGINAL = "original"
"""How the report tells pairs from copies of them."""
OWN_FIELDS = {
    *("messages", "model", "stream", "max_tokens", "temperature", "top_p", "seed", "provider", "tools", "system"),
    *("response_format", "structured_outputs", "output_config", "thinking", "reasoning"),
}
# A part of a path that looks like a key: the study is stored with every run as it was written.
KEY_IN_PATH = re.compile(
    r"(?<![A-Za-z0-9])(?:(?:sk|pk|gsk|hf|xai|ghp|key|token)[-_][\w-]{12,}"
    r"|(?=[A-Za-z]*\d)(?=[a-z0-9]*[A-Z])(?=[A-Z0-9]*[a-z])[A-Za-z0-9]{24,})"
)
# The study names model and revision; a token for the model hub belongs in the environment, not in a record.
NOT_ENGINE = frozenset({"model", "revision", "hf_token"})


def find_study(name: str) -> Path:
    """The file that `name` means: a path, or the name of a file in `studies/`."""
    return _find("study", name, FOLDER)


def _find(what: str, name: str, folder: Path) -> Path:
    path = Path(name)
    if path.suffix == ".toml" or "/" in name:
        return path
    known = {file.stem: file for file in sorted(folder.glob("*.toml"))}
    if name not in known:
        raise no_such(what, name, known, f"{folder}/")
    return known[name]


def _find_panel(name: str, study: Path) -> Path:
    """A panel by path, or by name: beside the study, else in `studies/panels/`."""
    own = study.parent / PANELS / f"{name}.toml"
    return own if own.is_file() else _find("panel", name, FOLDER / PANELS)


def read_study(path: Path, panel: str = "") -> tuple[Study, str]:
    """The declared study with its models and judges, and everything of it as written.

    `panel` names who answers and judges in place of the study's own. Makes the checks that need no other file.
    """
    study, text = read_toml(path, Study), read_text(path)
    if study.panel and (study.models or study.judges):
        raise InputError(f"{path}: it names a panel and has models or judges of its own; keep one of the two")
    if panel or study.panel:
        file = _find_panel(panel or study.panel, path)
        found = read_toml(file, Panel)
        study = msgspec.structs.replace(study, models=found.models, judges=found.judges)
        text += f"\n# Panel {file.stem}\n{read_text(file)}"
    if study.primary_judge_only:
        study = msgspec.structs.replace(study, judges=study.judges[:1])
    _check_items(path, study)
    for problem in _copy_problems(study):
        raise InputError(f"{path}: {problem}")
    for role, specs in (("models", study.models), ("judges", study.judges)):
        names = [spec.name for spec in specs]
        for name in names:
            if names.count(name) > 1:
                raise InputError(f"{path}: two {role} are named '{name}'")
        for spec in specs:
            _check_spec(path, role, spec)
    return study, text


def _check_items(path: Path, study: Study) -> None:
    if not study.models or not study.judges:
        raise InputError(f"{path}: a study needs models and judges: name a panel, or write [[models]] and [[judges]]")
    if bool(study.items) == bool(study.pair_set):
        raise InputError(f"{path}: a study asks either [[items]] of the library or a pair_set; give one of the two")
    if study.pair_set and not study.judge_prompt:
        raise InputError(f"{path}: a study of a pair_set must name its judge_prompt")
    if study.pair_set and study.draw and (study.draw.main is not None or study.draw.control is not None):
        raise InputError(f"{path}: a pair_set has no blocks to draw from; sample it with [[draw.parts]]")
    if study.pair_set and study.conditions:
        raise InputError(f"{path}: a pair_set is asked word for word and has no conditions; leave them out")
    if study.id in study.reuse:
        raise InputError(f"{path}: a study cannot reuse its own run")
    if study.id in study.beside:
        raise InputError(f"{path}: a study's own run cannot stand beside it; name another one")
    if len(set(study.conditions)) < len(study.conditions):
        raise InputError(f"{path}: name each condition once")


def _copy_problems(study: Study) -> Iterator[str]:
    for what in ("name", "title"):
        values = [getattr(copy, what) for copy in study.copies]
        if twice := next((value for value in values if values.count(value) > 1), ""):
            yield f"two of its copies have the {what} '{twice}'"
    kinds = [(copy.mask, copy.replicate) for copy in study.copies]
    if alike := next((copy for copy in study.copies if kinds.count((copy.mask, copy.replicate)) > 1), None):
        yield f"copy '{alike.name}' asks the very same as another one; give it another mask or replicate"
    if any(copy.name == ORIGINAL for copy in study.copies):
        yield f"no copy can be named '{ORIGINAL}'"
    if study.copies and len(study.conditions) > 1:
        yield "it has copies and several conditions; make a study of each condition"
    for copy in study.copies:
        if not (copy.mask or copy.replicate):
            yield f"copy '{copy.name}' would be the pairs themselves; give it a mask or a replicate"
        if copy.replicate and copy.replicate == study.replicate and not copy.mask:
            yield f"copy '{copy.name}' has the study's own replicate, so nothing would be judged anew; give it another"
        if not copy.judged and study.reidentify is None:
            yield f"copy '{copy.name}' hides names alone, which serves re-identification only; add [reidentify]"
    if study.reidentify and not any(copy.mask for copy in study.copies):
        yield "it has [reidentify] and no masked copy; add [[copies]] with a mask"


def _check_spec(path: Path, role: str, spec: AnyModel) -> None:
    where = f"{path}: '{spec.name}'"
    if role == "models" and spec.max_tokens < 1:
        raise InputError(f"{path}: model '{spec.name}' needs max_tokens, the longest reply it may give")
    if isinstance(spec, Served):
        _check_urls(where, spec)
        for name in sorted(spec.extra.keys() & OWN_FIELDS):
            raise InputError(f"{where}: extra cannot replace '{name}', which the study itself sets")
        _check_json(where, extra=spec.extra)
    if isinstance(spec, OpenAIHTTP):
        _check_hosts(where, spec)
    if isinstance(spec, VLLMOffline):
        for name in sorted(spec.engine.keys() & NOT_ENGINE):
            raise InputError(f"{where}: engine cannot hold '{name}'; the study or the environment names it")
        _check_json(where, engine=spec.engine, chat_template_kwargs=spec.chat_template_kwargs)


def _check_json(where: str, **fields: dict[str, Any]) -> None:
    for name, value in fields.items():
        try:
            canonical(value)
        except (TypeError, ValueError):
            raise InputError(f"{where}: {name} holds a value that JSON cannot say") from None


def _check_hosts(where: str, spec: OpenAIHTTP) -> None:
    broker = spec.server == "openrouter"
    if broker and not spec.hosts:
        raise InputError(
            f"{where}: OpenRouter may serve one model from many hosts at different precision; "
            'pin one: hosts = ["deepinfra"], quantizations = ["bf16"]'
        )
    if not broker and (spec.hosts or spec.quantizations):
        raise InputError(f'{where}: hosts and quantizations are for server = "openrouter"')


def _check_urls(where: str, spec: Served) -> None:
    if not spec.urls or len(set(spec.urls)) < len(spec.urls):
        raise InputError(f"{where}: give every url once, and at least one")
    for url in spec.urls:
        try:
            parts = urlsplit(url)
            good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
            good = good and url.isascii() and url.isprintable()
        except ValueError:
            good = False
        if not good:
            raise InputError(f"{where}: url must start with http:// or https:// and name a host")
        if parts.username or parts.password or parts.query or parts.fragment:
            raise InputError(f"{where}: no credentials in url; name an environment variable in api_key_env")
        if KEY_IN_PATH.search(parts.path):
            raise InputError(
                f"{where}: the path of url seems to hold a key, and every run keeps the study as it is written; "
                "name an environment variable in api_key_env, or put a proxy of your own in front"
            )
