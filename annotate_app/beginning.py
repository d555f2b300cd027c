"""What a chain's first event says of both halves of its project, so that neither can be changed unnoticed.

The hash of the sealed file gives nothing of it away: the file holds a secret key.
"""

from collections.abc import Iterable
from typing import Any

from annotate_app.schema import Project
from annotate_app.sealed import Sealed
from polibias.domain.ids import tagged_hash

PROJECT = ("scheme", "protocol", "address", "pair_key", "seed")
ITEM = ("code", "stratum", "pair", "content", "lesson")


def beginning(project: Project, items: Iterable[Any], sealed: Sealed) -> dict[str, Any]:
    """The body of `created`: how many items, the seed, and the hashes of the sealed file and of the blind half.

    `project` and `items` have the columns of their tables.
    """
    rows = sorted([getattr(item, name) for name in ITEM] for item in items)
    return {
        "items": sum(1 for *_, lesson in rows if not lesson),
        "seed": project.seed,
        "sealed": tagged_hash("sealed/1", sealed),
        "blind": tagged_hash("blind/1", {**{name: getattr(project, name) for name in PROJECT}, "items": rows}),
    }
