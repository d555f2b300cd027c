"""What goes over the wire now is what went over it when `fixtures/` was recorded, header by header and byte by byte.

An SDK that adds a header, renames a parameter or moves a schema would change what is measured without a word. After a
change that is meant, record anew with ``POLIBIAS_RECORD=1 pytest tests/models/test_wire.py``, read the difference, and
raise the request's version in `polibias/records/lines.py` if a body or one of its own headers is in it.
"""

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest

from polibias.models.base import Call
from tests.models.adapters import DIALECTS, NETWORK, PROMPT, SCHEMA, Place, opened, place, spec_of
from tests.wire_server import Wire

__all__ = ["place"]
FIXTURES = Path(__file__).with_name("fixtures")
KEY = "test-key-on-the-wire"
CALLS = {"plain": Call(PROMPT, 1600), "judge": Call(PROMPT, 700, SCHEMA, replicate=1, temperature=0.0)}
# What differs from machine to machine and decides nothing.
VOLATILE = {"host", "content-length", "user-agent", "connection", "accept-encoding"}
OWN_OF_THE_CLIENT = "x-stainless-"


def low(adapter: str) -> dict[str, Any]:
    """The least reasoning; Claude takes no temperature with it."""
    return {"reasoning": "low"} | ({"temperature": "unsupported"} if adapter == "anthropic_api" else {})


CASES = [
    *((f"{name}_{kind}", name, kind, {}) for name in NETWORK for kind in CALLS),
    *((f"{name}_no_reasoning", name, "judge", {"reasoning": "off"}) for name in DIALECTS),
    *((f"{name}_low_reasoning", name, "judge", low(name)) for name in NETWORK),
    *((f"{name}_no_temperature", name, "judge", {"temperature": "unsupported"}) for name in NETWORK),
    ("anthropic_api_default_reasoning", "anthropic_api", "plain", {"reasoning": "default"}),
    ("anthropic_api_extra", "anthropic_api", "plain", {"extra": {"service_tier": "auto"}}),
    ("openai_extra", "openai", "plain", {"extra": {"top_k": -1}, "seed": 7}),
]


def normal(wire: Wire) -> dict[str, Any]:
    """The request without what differs from machine to machine, and without its key."""
    headers = {
        name: value.replace(KEY, "[key]")
        for name, value in wire.headers.items()
        if name not in VOLATILE and not name.startswith(OWN_OF_THE_CLIENT)
    }
    return {"method": wire.method, "path": wire.path, "headers": headers, "body": wire.json}


def text_of(request: dict[str, Any]) -> str:
    """The form in which fixtures are stored: sorted, indented, ASCII."""
    return json.dumps(request, sort_keys=True, indent=1) + "\n"


def captured(place: Place, adapter: str, call: Call, fields: dict[str, Any]) -> Wire:
    async def once() -> None:
        model = opened(spec_of(adapter, place, api_key_env="WIRE_KEY", **fields))
        try:
            await model.send(model.request(call))
        finally:
            await model.close()

    asyncio.run(once())
    (wire,) = place.server.seen
    return wire


@pytest.mark.parametrize(("fixture", "adapter", "kind", "fields"), CASES, ids=[case[0] for case in CASES])
def test_the_wire_is_as_recorded(
    fixture: str, adapter: str, kind: str, fields: dict[str, Any], place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WIRE_KEY", KEY)
    found = text_of(normal(captured(place, adapter, CALLS[kind], fields)))
    path = FIXTURES / f"{fixture}.json"
    if os.environ.get("POLIBIAS_RECORD"):
        path.write_text(found, "ascii")
    assert found == path.read_text("ascii")
    assert KEY not in found


def test_no_fixture_is_left_over() -> None:
    assert {path.stem for path in FIXTURES.glob("*")} == {case[0] for case in CASES}
