"""A model's Markdown as formatted text that loads nothing, runs nothing and hides nothing.

CommonMark with tables, and less than that wherever a construct would hide what was said. HTML and entities, links,
images, addresses in angle brackets and reference definitions stay as they were written, so that a link shows its text
and its address. Lines end where the model ended them. A list item keeps its own number, a block of code shows its
language above it, a table that would drop a cell and lists nested without end stay plain text. Headings are bold
paragraphs: a response adds nothing to the outline of the page. Addresses and `$...$` keep every sign.

Each top block takes its direction from its own text. The result is HTML for a place that reads HTML alone; where
Markdown runs once more, its marks would count again.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

import nh3
from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, blockquote, list_block, table
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from polibias.domain.display import visible

LINES = 5_000
"""A longer text is no prose, and stays as it was written: Markdown reads each line once per quote that it may be in."""
LEVELS = 10
"""Quotes inside quotes; a list inside a list takes two. Deeper marks stay as they were written."""
CELLS = 20_000
"""A table that would come to more cells stays plain text: rows may be short, and empty cells would fill it up."""

BLOCKS = frozenset({"p", "ul", "ol", "blockquote", "pre", "table"})
TAGS = BLOCKS | {"br", "em", "strong", "li", "code", "hr", "thead", "tbody", "tr", "th", "td"}
CLEANER = nh3.Cleaner(
    tags=set(TAGS),
    attributes={"li": {"value"}},
    tag_attribute_values={tag: {"dir": {"auto"}} for tag in BLOCKS},
    set_tag_attribute_values={"pre": {"dir": "auto"}},
    url_schemes=set(),
    link_rel=None,
)
HIDING = ("html_block", "html_inline", "reference", "link", "image", "autolink", "entity")
# What Markdown leaves alone: an address in a link or by itself, and a formula (a sum of money closes no formula).
LITERAL = re.compile(
    r"(?:\]\(|://)[^\s<>()*`\[\]\\]+(?<!_)"
    r"|(?P<mark>\${1,2})(?=\S)[^$\n]{1,200}?(?<=\S)(?P=mark)(?![\d$])"
)


def rendered(text: str) -> str:
    """`text` as safe HTML in one element. Equal texts give equal HTML; the time grows with the length alone."""
    said = visible(text)
    tokens = _as_written(said) if said.count("\n") > LINES else [*_shown(PARSER.parse(said))]
    return f'<div dir="auto">{CLEANER.clean(PARSER.renderer.render(tokens, PARSER.options, {}))}</div>'


def _as_written(text: str) -> list[Token]:
    return [Token("code_block", "code", 0, content=text)]


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "linkify": False, "breaks": True, "maxNesting": 10 * LEVELS})
    parser.enable("table").disable(HIDING)
    blocks = parser.block.ruler
    blocks.at("table", _table, {"alt": ["paragraph", "reference"]})
    blocks.at("blockquote", _blockquote, {"alt": ["paragraph", "reference", "blockquote", "list"]})
    blocks.at("list", _list, {"alt": ["paragraph", "reference", "blockquote"]})
    parser.inline.ruler.before("escape", "literal", _literal)
    return parser


def _blockquote(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    return state.level < LEVELS and blockquote(state, start, end, silent)


def _list(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    return state.level < LEVELS and list_block(state, start, end, silent)


def _table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """The library's table, unless a sign of it would be lost; `plain` is the line up to which that was found out."""
    if start < state.env.get("plain", 0) or not table(state, start, end, True):
        return False
    if silent:
        return True
    last = next((line for line in range(start, end) if state.isEmpty(line)), end)
    before = len(state.tokens)
    if (last - start) * (_line(state, start + 1).count("|") + 1) <= CELLS:
        table(state, start, end, False)
        if _kept(state, before, start):
            return True
    del state.tokens[before:]
    state.line = start
    state.env["plain"] = last
    return False


def _kept(state: StateBlock, before: int, start: int) -> bool:
    rows = (_line(state, line) for line in range(start, state.line) if line != start + 1)
    cells = (token.content for token in state.tokens[before:] if token.type == "inline")
    return _signs(rows) == _signs(cells)


def _line(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]


def _signs(texts: Iterable[str]) -> str:
    return re.sub(r"[\s|\\]+", "", "".join(texts))


def _literal(state: StateInline, silent: bool) -> bool:
    found = LITERAL.match(state.src, state.pos, state.posMax)
    if found is None:
        return False
    if not silent:
        state.append_pending(found[0])
    state.pos = found.end()
    return True


def _shown(tokens: Iterable[Token]) -> Iterator[Token]:
    """The tokens with all that Markdown keeps in attributes put in sight, and with no heading among them."""
    heading = False
    for token in tokens:
        if token.type == "fence":
            yield from _language(token)
        elif token.type == "inline":
            token.children = _bold(token.children or []) if heading else [*_flat(token.children or [])]
        elif token.type == "list_item_open" and token.info:
            token.attrs["value"] = int(token.info)
        heading = token.type == "heading_open"
        if token.type in ("heading_open", "heading_close"):
            token.tag = "p"
        # A list or a quote takes its direction from blocks inside it that have none of their own: so only the top has.
        if token.level == 0 and token.nesting == 1 and token.tag in BLOCKS:
            token.attrs["dir"] = "auto"
        yield token


def _language(fence: Token) -> Iterator[Token]:
    """What stands behind the opening marks of a block of code, as a paragraph; taken from the block."""
    said, fence.info = fence.info.strip(), ""
    if said:
        text = Token("text", "", 0, content=said)
        yield Token("paragraph_open", "p", 1, block=True)
        yield Token("inline", "", 0, block=True, children=[text])
        yield Token("paragraph_close", "p", -1, block=True)


def _bold(children: Iterable[Token]) -> list[Token]:
    return [Token("strong_open", "strong", 1), *_flat(children, {"strong": 1}), Token("strong_close", "strong", -1)]


def _flat(children: Iterable[Token], outside: Mapping[str, int] = MappingProxyType({})) -> Iterator[Token]:
    """The tokens without emphasis inside the same emphasis, which looks no different and may go thousands deep."""
    depth = Counter(outside)
    for token in children:
        depth[token.tag] += token.nesting
        if token.nesting == 0 or depth[token.tag] == (token.nesting == 1):
            yield token


PARSER = _parser()
