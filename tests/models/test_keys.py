"""Fifty requests whose keys never change: a key that moves makes every stored run unreadable and every call paid anew.

``POLIBIAS_RECORD=1 pytest tests/models/test_keys.py`` fills in the key of a new entry; it changes none that is there.
"""

import json
import os
from pathlib import Path
from typing import Any

import msgspec
import pytest

from polibias.domain.study import AnyModel, VLLMOffline
from polibias.models.base import Call
from polibias.models.registry import open_model
from polibias.records.lines import request_key
from tests.conftest import ROOT

FILE = ROOT / "tests" / "cases" / "request_keys.json"
ENTRIES: list[dict[str, Any]] = json.loads(FILE.read_text("ascii"))
MOVED = (
    "these requests no longer have the keys under which runs have stored them. If that is not meant, undo the change. "
    "If it is, do not edit the file: raise the version in REQUEST_TAG (polibias/records/lines.py), so that old and new "
    "keys cannot be taken for each other, and start a file of its own for the new version"
)


def key_of(entry: dict[str, Any], folder: Path) -> str:
    spec = dict(entry["spec"])
    if "file" in spec:
        path = folder / spec["file"]
        path.write_text(entry["content"], "utf-8")
        spec["file"] = str(path)
    declared = msgspec.convert(spec, AnyModel)
    model = open_model(declared, keyless=True)
    assert model.adapter == spec["adapter"]
    return request_key(model.request(Call(**entry["call"])))


def test_no_key_has_moved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is upgraded or tidied, equal requests keep their names."""
    found = [key_of(entry, tmp_path) for entry in ENTRIES]
    if os.environ.get("POLIBIAS_RECORD"):
        for entry, key in zip(ENTRIES, found, strict=True):
            entry.setdefault("key", key)
        FILE.write_text(json.dumps(ENTRIES, indent=1) + "\n", "ascii")
    moved = [number for number, entry in enumerate(ENTRIES) if entry["key"] != found[number]]
    assert moved == [], MOVED


def test_the_keys_are_fifty_and_no_two_alike() -> None:
    assert len({entry["key"] for entry in ENTRIES}) == len(ENTRIES) == 50
    assert {entry["spec"]["adapter"] for entry in ENTRIES} == {
        *("anthropic_api", "imported", "openai_http", "scripted", "vllm_offline")
    }


@pytest.mark.parametrize("entry", [ENTRIES[0]], ids=["first"])
def test_a_key_moves_with_every_byte_of_its_request(entry: dict[str, Any], tmp_path: Path) -> None:
    """The comparison above can fail."""
    call = entry["call"] | {"prompt": entry["call"]["prompt"] + " "}
    assert key_of(entry | {"call": call}, tmp_path) != entry["key"]


def test_vllm_offline_needs_no_vllm_for_its_keys() -> None:
    """Otherwise the file could be checked on machines with vLLM only."""
    assert open_model(VLLMOffline(name="m", model="org/m"), keyless=True).request(Call("x", 1)).adapter
