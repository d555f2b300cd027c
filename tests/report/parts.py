"""The parts of a report that its list of pairs loads, read as a browser reads them."""

import json
import re
from pathlib import Path
from typing import Any

CALL = re.compile(r"polibias\.(list|part)\((.*)\);\n", re.DOTALL)


def called(path: Path) -> list[Any]:
    """What a part hands to the page: the values of its one call."""
    found = CALL.fullmatch(path.read_text("utf-8"))
    assert found, path
    values: list[Any] = json.loads(f"[{found[2]}]")
    return values


def listed(report: Path) -> dict[str, Any]:
    """The list of all cases."""
    (found,) = called(report / "pairs" / "list.js")
    assert isinstance(found, dict)
    return found


def marks(report: Path) -> list[set[str]]:
    """The words by which each case is selected, in the order of the list."""
    found = listed(report)
    return [{found["words"][place] for place in case[7]} for case in found["cases"]]


def readings(report: Path) -> dict[str, dict[str, Any]]:
    """By the name of a case: its title, the pair, what its model answered, and the judge's reading."""
    found = listed(report)
    parts: dict[int, Any] = {}
    for path in (report / "pairs").glob("*.js"):
        if path.stem != "list":
            number, entries = called(path)
            assert str(number) == path.stem
            parts[number] = entries
    out = {}
    for name, place, model, judge, *_ in found["cases"]:
        title, *_, part, at = found["pairs"][place]
        entry = parts[part][at]
        (answered,) = [one for one in entry["answered"] if one["model"] == model]
        (reading,) = [one for one in answered["readings"] if one["name"] == name]
        assert reading["judge"] == judge
        out[name] = {"title": title, "pair": entry, "answered": answered, "reading": reading}
    return out


def strings(value: Any) -> list[str]:
    """Every text in a value, keys left out."""
    if isinstance(value, str):
        return [value]
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for one in inside for text in strings(one)]
