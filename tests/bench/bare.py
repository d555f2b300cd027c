"""The loop that one would write by hand on the same client library: `python -m tests.bench.bare URL BODIES OUT`.

Sixty-four workers post the bodies of a JSONL file and append request and text to another one, without fsync, hash,
retry or resume.
"""

import asyncio
import json
import sys
from collections.abc import Iterator
from typing import TextIO

import httpx2
from httpx_aiohttp.httpx2 import AiohttpTransport

WORKERS = 64


async def work(client: httpx2.AsyncClient, bodies: Iterator[str], out: TextIO) -> None:
    """Post bodies until none is left."""
    for line in bodies:
        body = json.loads(line)
        answer = await client.post("chat/completions", json=body)
        answer.raise_for_status()
        message = answer.json()["choices"][0]["message"]
        out.write(json.dumps({"request": body, "text": message["content"]}) + "\n")


async def main(url: str, bodies: TextIO, out: TextIO) -> None:
    transport = AiohttpTransport(limits=httpx2.Limits(max_connections=WORKERS))
    async with httpx2.AsyncClient(base_url=url, timeout=600, transport=transport) as client:
        await asyncio.gather(*(work(client, bodies, out) for _ in range(WORKERS)))


if __name__ == "__main__":
    with open(sys.argv[2], encoding="utf-8") as asked, open(sys.argv[3], "a", encoding="utf-8") as written:  # noqa: PTH123
        asyncio.run(main(sys.argv[1], asked, written))
