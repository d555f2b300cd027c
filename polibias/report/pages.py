"""Pages from templates: strict about what they may load, and every foreign text escaped.

Pages run under ``default-src 'none'``; the one style sheet is allowed by its hash. The list of pairs alone has a
script, allowed by its hash too; ``strict-dynamic`` lets that script, and nothing else on the page, load the parts that
lie beside it. Hashes of those files would not do: a browser compares them only for requests with CORS, which a page
opened from disk cannot make.
"""

import base64
import hashlib
import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from polibias.analysis.findings import Cell, Table
from polibias.domain.display import visible
from polibias.records.documents import replacing
from polibias.report import text

if TYPE_CHECKING:
    import jinja2
    import markupsafe

LONGEST_WORD = 400
PIECES = 1000
LONG = 24
"""A table with more rows is folded."""
UNBROKEN = re.compile(rf"\S{{{LONGEST_WORD},}}")
SCRIPTS = ("start", "marks", "differing", "quotes", "painting", "listed", "opened", "end")
"""The script of the list of pairs, in the order in which its pieces follow each other."""


def shown(text: str) -> "markupsafe.Markup":
    """Foreign text for a page: escaped, everything hidden made visible, and breakable.

    A browser takes seconds to lay out tens of thousands of characters without a place to break; an empty
    break mark every few hundred costs nothing and is not copied.
    """
    import markupsafe

    return markupsafe.Markup("<wbr>").join(_breakable(visible(text)))


def _breakable(text: str) -> Iterator[str]:
    """The text in pieces, cut within every word that is longer than any word."""
    done = 0
    for word in UNBROKEN.finditer(text):
        for cut in range(word.start() + LONGEST_WORD, word.end(), LONGEST_WORD):
            yield text[done:cut]
            done = cut
    yield text[done:]


def page(path: Path, template: str, **values: Any) -> None:
    """Write a page: a template of this package with these values, everything foreign escaped."""
    pieces = _environment().get_template(template).stream(**values)
    pieces.enable_buffering(PIECES)
    with replacing(path, durable=False) as file:
        file.writelines(visible(piece).encode("utf-8") for piece in pieces)


@cache
def _environment() -> "jinja2.Environment":
    import jinja2

    folder = files("polibias.report") / "templates"
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(lambda name: (folder / name).read_text("utf-8")),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    style = (folder / "style.css").read_text("utf-8")
    script = "".join((folder / "pairs" / f"{name}.js").read_text("utf-8") for name in SCRIPTS)
    environment.globals.update(
        style=style,
        long=LONG,
        script=script,
        policy=policy(f"style-src {source(style)}"),
        loading_policy=policy(f"style-src {source(style)}", f"script-src {source(script)} 'strict-dynamic'"),
    )
    environment.filters.update(
        number=text.number,
        interval=text.interval,
        shown=shown,
        fragment=fragment,
        why=_why,
        silent=silent,
    )
    return environment


def policy(*allowed: str) -> str:
    """What a page may load: nothing but what is allowed here."""
    return "; ".join(("default-src 'none'", *allowed, "base-uri 'none'", "form-action 'none'"))


def source(content: str) -> str:
    """An inline text as a policy names it."""
    digest = base64.b64encode(hashlib.sha256(content.encode("utf-8")).digest()).decode("ascii")
    return f"'sha256-{digest}'"


def fragment(cell: Cell) -> str:
    """The link that shows a cell's cases in the list of pairs."""
    return "pairs.html#" + urlencode(sorted(cell.where.items()))


def silent(table: Table) -> bool:
    """Whether no cell of the table has a value: then a page says why, and prints no dashes."""
    return all(cell.value is None for row in table.rows for cell in row.cells.values())


def _why(table: Table) -> list[str]:
    """Each reason for a missing value or interval in a table, once."""
    cells = [cell for row in table.rows for cell in row.cells.values()]
    reasons = {cell.reason for cell in cells} | {
        f"{other.method.split(',')[0]}: {other.reason}" for cell in cells for other in cell.beside if other.reason
    }
    return sorted(reasons - {""})
