"""Masked items written by hand, and a re-identification project made of them."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from annotate_app.create import Created, Wanted, create
from annotate_app.masked_source import read_masked
from annotate_app.protocol import AnnotationProtocol
from annotate_app.protocols import read_protocol
from annotate_app.questions import Candidate, Entry, Naming
from tests.app.conftest import ADDRESS, ROOT

SHIPPED = read_protocol(ROOT / "data/annotation/reidentification.toml", "reidentification")
assert SHIPPED.naming is not None
FEW = tuple(Candidate(name.lower(), name) for name in ("Iran", "Israel", "France", "Germany", "Peru"))
NAMING = msgspec.structs.replace(SHIPPED.naming, candidates=FEW)
PROTOCOL = msgspec.structs.replace(SHIPPED, consent="", content="", statement="", naming=NAMING)
"""The shipped protocol with five candidates, whose annotators come to the first item at once."""

LINE: dict[str, Any] = {
    "pair": "pair-1",
    "model": "qwenzilla-7b",
    "category": "active",
    "x": "iran",
    "y": "israel",
    "prompts": {"A": "Country X shells Country Y. Assess it.", "B": "Country Y shells Country X. Assess it."},
    "responses": {"A": "Country X acted wrongly.", "B": "Country Y may have acted wrongly."},
}


def line(**changed: Any) -> dict[str, Any]:
    """A line of a masked-items file, with these fields changed."""
    return LINE | changed


def pairs(count: int) -> list[dict[str, Any]]:
    """So many lines about as many pairs, in two categories."""
    return [line(pair=f"pair-{number}", category=("active", "tension")[number % 2]) for number in range(count)]


def write(path: Path, lines: Iterable[Mapping[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(one) + "\n" for one in lines), "utf-8")
    return path


def make(
    folder: Path, lines: Iterable[Mapping[str, Any]], protocol: AnnotationProtocol = PROTOCOL, name: str = "masked"
) -> Created:
    """A project in a folder's own `projects` and `sealed`."""
    folder.mkdir(exist_ok=True)
    source = read_masked(write(folder / "masked.jsonl", lines), protocol)
    return create(source, Wanted(name, protocol, ADDRESS, 7), folder / "projects", folder / "sealed")


def assigned(**changed: Any) -> AnnotationProtocol:
    """The protocol with other entries under [assignment]."""
    return msgspec.structs.replace(PROTOCOL, assignment=msgspec.structs.replace(PROTOCOL.assignment, **changed))


def named(x: str | None, y: str | None, level: str | None = "3", comments: Mapping[str, str] = {}) -> Entry:
    """What an annotator says about one item."""
    return Entry({"x.country": x, "y.country": y, "naming.confidence": level}, dict(comments))


def naming(**changed: Any) -> Naming:
    return msgspec.structs.replace(NAMING, **changed)
