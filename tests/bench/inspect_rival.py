"""The same calls through Inspect AI: `.venv-rivals/bin/python tests/bench/inspect_rival.py URL BODIES FOLDER`.

Runs in an environment of its own, so it imports nothing of this project.
"""

import json
import os
import sys
from pathlib import Path

from inspect_ai import Task, eval  # noqa: A004 - the name is theirs
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.solver import generate

CONNECTIONS = 64


def main(url: str, bodies: Path, folder: Path) -> None:
    """Evaluate one sample per body, with the body's parameters, into one `.eval` log. Raises unless all is well."""
    asked = [json.loads(line) for line in bodies.read_text("utf-8").splitlines()]
    os.environ |= {"BENCH_BASE_URL": url, "BENCH_API_KEY": "none"}
    log = eval(
        Task(MemoryDataset([Sample(input=body["messages"][0]["content"]) for body in asked]), solver=generate()),
        model=f"openai-api/bench/{asked[0]['model']}",
        **{name: asked[0][name] for name in ("max_tokens", "temperature", "top_p", "seed")},
        max_connections=CONNECTIONS,
        log_dir=str(folder),
        log_format="eval",
        display="none",
    )[0]
    assert log.status == "success", log.error


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
