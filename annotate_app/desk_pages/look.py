"""What the desk's pages share: their look, the line under the title, figures, and tables that a phone can show."""

import datetime
from collections.abc import Iterable, Sequence
from html import escape
from typing import NamedTuple

import streamlit as st
from streamlit.navigation.page import StreamlitPage

# Colours come from the text's own, so that light and dark need no rules of their own.
STYLE = """<style>
[data-testid="stMainBlockContainer"] { max-width: 66rem; padding-top: 3.5rem; }
.desk { --faint: color-mix(in srgb, currentColor 14%, transparent); --quiet: color-mix(in srgb, currentColor 78%,
  transparent); font-variant-numeric: tabular-nums; line-height: 1.45; }
.desk .name { overflow-wrap: anywhere; }
.desk p { margin: 0; }
.desk .quiet { color: var(--quiet); }
.desk dl, .desk dl div, .desk dd { margin: 0; padding: 0; }
.desk dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr)); gap: .75rem; }
.desk dl div { border: 1px solid var(--faint); border-radius: .6rem; padding: .7rem .9rem; display: flex;
  flex-direction: column-reverse; }
.desk dt { color: var(--quiet); font-size: .9rem; font-weight: 400; }
.desk dd { font-size: 1.5rem; font-weight: 600; line-height: 1.25; }
.desk dd small { font-size: 1rem; font-weight: 400; color: var(--quiet); }
.desk table { width: 100%; border-collapse: collapse; margin: 0; }
.desk th, .desk td { text-align: start; padding: .55rem .9rem .55rem 0; border: 0; vertical-align: top;
  border-bottom: 1px solid var(--faint); font-weight: 400; }
.desk thead th { font-size: .9rem; color: var(--quiet); padding-top: 0; white-space: nowrap; }
.desk tbody th { font-weight: 600; }
.desk .number { text-align: end; padding-inline-end: 1.75rem; }
.desk th:last-child, .desk td:last-child { padding-inline-end: 0; }
.desk .moment, .desk code { white-space: nowrap; }
.desk code { font: inherit; font-family: ui-monospace, monospace; font-size: .92em; color: inherit; background: none;
  padding: 0; }
.desk .mark { border: 1px solid currentColor; border-radius: 1rem; padding: 0 .5rem; font-size: .85rem;
  white-space: nowrap; margin-inline-start: .4rem; }
.desk .bar { display: block; height: .4rem; border-radius: .2rem; background: var(--faint); margin-top: .3rem;
  max-width: 14rem; overflow: hidden; }
.desk .bar span { display: block; height: 100%; background: currentColor; opacity: .7; }
.desk h2, .desk h3 { font-weight: 600; line-height: 1.3; padding: 0; overflow-wrap: anywhere; }
.desk h2 { font-size: 1.5rem; margin: 1rem 0 .3rem; }
.desk h3 { font-size: 1.15rem; margin: .6rem 0 .2rem; }
.desk .loud { border: 2px solid currentColor; border-radius: .6rem; padding: .7rem .9rem; overflow-wrap: anywhere; }
.desk .loud p { font-weight: 600; }
.desk .loud p + p { margin-top: .4rem; }
.desk .wrap, .desk .hash code { overflow-wrap: anywhere; white-space: normal; }
.desk .hash summary { cursor: pointer; width: max-content; max-width: 100%; }
.desk ul { margin: 0; padding-inline-start: 1.2rem; }
.desk li { overflow-wrap: anywhere; margin: .2rem 0; }
.desk .mark:first-child { margin-inline-start: 0; }
.desk .track { max-width: none; margin: 0; }
.st-key-document :is(p, li, code, th, td) { overflow-wrap: anywhere; white-space: normal; }
@media (max-width: 40rem) {
  .desk thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .desk table, .desk tbody, .desk tr { display: block; }
  .desk tr { border-bottom: 1px solid var(--faint); padding: .6rem 0; display: grid;
    grid-template-columns: 1fr 1fr; gap: .3rem 1rem; }
  .desk tbody tr:first-child { border-top: 1px solid var(--faint); }
  .desk th, .desk td { border: 0; padding: 0; }
  .desk tbody th, .desk .wide { grid-column: 1 / -1; }
  .desk td::before { content: attr(data-label) ": "; color: var(--quiet); }
  .desk .number { text-align: start; padding: 0; }
  .desk dl div:last-child:nth-child(odd) { grid-column: 1 / -1; }
  .desk .bar { max-width: none; }
  .st-key-document table { table-layout: fixed; width: 100%; hyphens: auto; }
  .st-key-document :is(th, td) { padding: .25rem .35rem; font-size: .85rem; }
}
</style>"""


SHORT = 12
"""Signs of a hash that are shown before it is opened."""


class Column(NamedTuple):
    """A table's column: its heading, whether it holds numbers, and whether a phone gives it a line of its own."""

    title: str
    number: bool = False
    wide: bool = False


def begin(title: str) -> None:
    """Open a page."""
    st.set_page_config(page_title=title, layout="wide")
    st.html(STYLE)
    st.title(title, anchor=False)


def links(pages: Iterable[StreamlitPage]) -> None:
    """The way to each page, in sight on a phone as well."""
    with st.container(horizontal=True, key="pages"):
        for page in pages:
            st.page_link(page, width="content")


def refresh(line: str) -> None:
    """A line that says how things are, and a button that looks again."""
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.html(f'<div class="desk"><p>{escape(line)}</p><p class="quiet">Seen at {moment(now())} UTC</p></div>')
        st.button("Refresh", key="refresh")


def text(*lines: str) -> None:
    """Plain lines, whatever signs they hold."""
    st.html(f'<div class="desk">{"".join(f"""<p class="wrap">{escape(line)}</p>""" for line in lines)}</div>')


def quiet(line: str) -> None:
    """A plain line that stands back."""
    st.html(f'<div class="desk"><p class="quiet wrap">{escape(line)}</p></div>')


def loud(*lines: str) -> None:
    """What must not be missed, as plain lines."""
    said = "".join(f"<p>{escape(line)}</p>" for line in lines)
    st.html(f'<div class="desk"><div class="loud" role="alert">{said}</div></div>')


def heading(level: int, title: str, mark: str = "") -> None:
    """A heading below the page's own title, plain whatever signs it holds, and a mark behind it."""
    behind = f' <span class="mark">{escape(mark)}</span>' if mark else ""
    st.html(f'<div class="desk"><h{level}>{escape(title)}{behind}</h{level}></div>')


def listed(lines: Iterable[str]) -> None:
    """A list whose entries are HTML already."""
    st.html(f'<div class="desk"><ul>{"".join(f"<li>{line}</li>" for line in lines)}</ul></div>')


def track(part: int, whole: int) -> None:
    """A bar of how much of something is there; the numbers stand elsewhere."""
    share = min(100, 100 * part // whole) if whole else 0
    st.html(f'<div class="desk"><span class="bar track"><span style="width:{share}%"></span></span></div>')


def fingerprint(name: str) -> str:
    """A hash as a cell: its beginning, and all of it, to be copied, once it is opened."""
    if not name:
        return "–"
    short = escape(name[:SHORT])
    return (
        f'<details class="hash"><summary title="{escape(name)}"><code>{short}…</code></summary>'
        f"<code>{escape(name)}</code></details>"
    )


def now() -> str:
    """The time as the database writes it."""
    return datetime.datetime.now(datetime.UTC).isoformat()


def moment(at: str) -> str:
    """A stored time as a person reads it, in UTC."""
    return at[:19].replace("T", " ")


def person(name: str) -> str:
    """A name as a cell: however long it is, it stays within it."""
    return f'<span class="name">{escape(name)}</span>'


def when(at: str) -> str:
    """A stored time as a cell."""
    return f'<span class="moment">{escape(moment(at))}</span>'


def figures(found: Iterable[tuple[str, str, str]]) -> None:
    """Large numbers: what each one is, the number, and what stands small behind it."""
    parts = [
        f"<div><dt>{escape(name)}</dt><dd>{escape(number)} <small>{escape(rest)}</small></dd></div>"
        for name, number, rest in found
    ]
    st.html(f'<div class="desk"><dl>{"".join(parts)}</dl></div>')


def table(name: str, columns: Sequence[Column], rows: Iterable[Sequence[str]]) -> None:
    """A table whose cells are HTML already; the first of each row is what the row is about."""
    head = "".join(f'<th role="columnheader" scope="col"{_kind(one)}>{escape(one.title)}</th>' for one in columns)
    body = "".join(f'<tr role="row">{"".join(_cells(columns, row))}</tr>' for row in rows)
    st.html(
        f'<div class="desk"><table role="table" aria-label="{escape(name)}"><thead role="rowgroup"><tr role="row">'
        f'{head}</tr></thead><tbody role="rowgroup">{body}</tbody></table></div>'
    )


def _cells(columns: Sequence[Column], row: Sequence[str]) -> Iterable[str]:
    first, *others = row
    yield f'<th role="rowheader" scope="row">{first}</th>'
    for column, cell in zip(columns[1:], others, strict=True):
        yield f'<td role="cell" data-label="{escape(column.title)}"{_kind(column)}>{cell}</td>'


def _kind(column: Column) -> str:
    names = ["number"] * column.number + ["wide"] * column.wide
    return f' class="{" ".join(names)}"' if names else ""
