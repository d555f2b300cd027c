"""Formatted text loads nothing, runs nothing and hides nothing that a model said."""

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate_app.rendering import CELLS, LEVELS, LINES, rendered
from polibias.domain.display import visible

MARKS = re.compile(r"[\s*_`~#>|\\+=:.)-]+")
PIECES = [
    *(
        "*",
        "**",
        "_",
        "`",
        "```",
        "~~~",
        "#",
        "# ",
        "> ",
        "- ",
        "+ ",
        "1. ",
        "07) ",
        "12. ",
        "|",
        "| ",
        "---",
        "|-|-|\n",
    ),
    *(
        "===",
        "\n",
        "\n\n",
        "    ",
        "\t",
        "[a]",
        "(b c)",
        "![i]",
        "[r]: /u 't'\n",
        "<b>",
        "<!-- k -->",
        "&amp;",
        "&#65;",
    ),
    *(
        "\\",
        "\\*",
        "$",
        "$x$",
        "http://q_r_",
        "<http://z>",
        "word",
        "9",
        "Ж",
        "عربي",
        "中文",
        "\0",
        "\ud800",
        "\r",
        "é",
    ),
]
MARKDOWN = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


class Reader(HTMLParser):
    """What a reader sees of HTML: its text with the numbers of list items, and the tags with their attributes."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.said: list[str] = []
        self.tags: list[tuple[str, tuple[tuple[str, str | None], ...]]] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, tuple(attrs)))
        self.said += [value or "" for name, value in attrs if name == "value"]

    def handle_data(self, data: str) -> None:
        self.said.append(data)


def text_of(html: str) -> str:
    return "".join(Reader(html).said)


def signs(text: str) -> str:
    """All that is no white space and can be no mark of Markdown; numbers without the zeros in front."""
    return re.sub(r"0+(?=\d)", "", MARKS.sub("", text))


def is_within(part: str, whole: str) -> bool:
    rest = iter(whole)
    return all(sign in rest for sign in part)


@given(MARKDOWN | st.text(max_size=200))
def test_nothing_said_vanishes(text: str) -> None:
    assert is_within(signs(visible(text)), signs(text_of(rendered(text))))


@given(MARKDOWN | st.text(max_size=200))
def test_nothing_is_added(text: str) -> None:
    assert is_within(signs(text_of(rendered(text))), signs(visible(text)))


@given(MARKDOWN | st.text(alphabet="<>/=\"'&;:!-[]()ab\n ", max_size=200))
def test_only_harmless_tags_and_attributes(text: str) -> None:
    for tag, attributes in Reader(rendered(text)).tags:
        assert tag in {"div", "p", "br", "em", "strong", "ul", "ol", "li", "blockquote", "pre", "code", "hr"} | {
            "table", "thead", "tbody", "tr", "th", "td",
        }  # fmt: skip
        for name, value in attributes:
            assert (name, value) == ("dir", "auto") or (tag, name) == ("li", "value")


@given(MARKDOWN)
def test_equal_texts_give_equal_html(text: str) -> None:
    first = rendered(text)
    rendered("[x]: /elsewhere\n\n| a |\n|---|\n| b | c |")
    assert rendered(text) == first


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "a <img src=x onerror=alert(1)> b",
        "<svg/onload=alert(1)>",
        "<style>p{display:none}</style>",
        "<p style='display:none'>secret</p>",
        "[click](javascript:alert(1))",
        "![alt](https://example.org/a.png \"title\")",
        "![](data:text/html;base64,PHNjcmlwdD4=)",
        "<https://example.org/_a_>",
        "https://example.org/_a_/_b_",
        "[ref]: https://example.org 'hidden'",
        "<!-- a comment -->",
        "<details><summary>x</summary>y</details>",
        "&lt;b&gt; &amp; &copy; &#x41;",
        ":red[x] :material/home: :smile: :blue-background[y]",
        "$x^2$ and $a*b*c$ and $$p_1 * q_2$$",
        "it costs $5 or $6",
        "[^1]: a footnote",
        "{.class #id}",
        "~~not struck~~",
        "[x] done",
    ],
)  # fmt: skip
def test_stays_as_written(text: str) -> None:
    assert text_of(rendered(text)).strip() == text


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("", ""),
        ("*a* **b** `c`", '<p dir="auto"><em>a</em> <strong>b</strong> <code>c</code></p>\n'),
        ("a\nb", '<p dir="auto">a<br>\nb</p>\n'),
        ("# A *b*\n\ntext", '<p dir="auto"><strong>A <em>b</em></strong></p>\n<p dir="auto">text</p>\n'),
        ("A **b**\n===", '<p dir="auto"><strong>A b</strong></p>\n'),
        ("3. a\n3. b", '<ol dir="auto">\n<li value="3">a</li>\n<li value="3">b</li>\n</ol>\n'),
        ("- a\n\n- b", '<ul dir="auto">\n<li>\n<p>a</p>\n</li>\n<li>\n<p>b</p>\n</li>\n</ul>\n'),
        ("> a", '<blockquote dir="auto">\n<p>a</p>\n</blockquote>\n'),
        ("```py x\na < b\n```", '<p>py x</p>\n<pre dir="auto"><code>a &lt; b\n</code></pre>\n'),
        ("a\n\n---", '<p dir="auto">a</p>\n<hr>\n'),
        ("**$5** or **$6**", '<p dir="auto"><strong>$5</strong> or <strong>$6</strong></p>\n'),
        ("_see http://a.b/c_", '<p dir="auto"><em>see http://a.b/c</em></p>\n'),
        ("\0", '<p dir="auto">⟨U+0000⟩</p>\n'),
        ("\ud800", '<p dir="auto">⟨U+D800⟩</p>\n'),
    ],
)
def test_formatted(text: str, html: str) -> None:
    assert rendered(text) == f'<div dir="auto">{html}</div>'


def test_a_table_is_a_table_unless_a_cell_would_be_lost() -> None:
    assert "<td>2</td>" in rendered("| a | b |\n|:-:|---|\n| 1 | 2 |")
    lost = rendered("| a | b |\n|---|---|\n| 1 | 2 | more |\n\nafter\n\n| a |\n|---|\n| c |")
    assert "more" in lost
    assert lost.count("<table") == 1
    assert "<table" not in rendered("|a" * 200 + "|\n" + "|-" * 200 + "|\n" + "|a\n" * (CELLS // 200))


def test_right_to_left_text_has_its_own_direction_in_each_block() -> None:
    found = Reader(rendered("English\n\nعربي\n\n- עברית")).tags
    assert [tag for tag, attributes in found if ("dir", "auto") in attributes] == ["div", "p", "p", "ul"]


@pytest.mark.parametrize("mark", [">", "> ", "- ", "1. ", "* > ", "- 1. "])
def test_what_is_nested_too_deeply_stays_as_written(mark: str) -> None:
    html = rendered(mark * 20_000 + "end")
    assert "end" in text_of(html)
    assert html.count("<blockquote") + html.count("<ul") + html.count("<ol") <= LEVELS


def test_deep_indents_keep_their_text() -> None:
    text = "".join("  " * depth + f"- level{depth}\n" for depth in range(300))
    assert is_within(signs(text), signs(text_of(rendered(text))))


def test_emphasis_never_nests_deeply() -> None:
    assert rendered("*" * 3001 + "a" + "*" * 3001).count("<") <= 8


def test_very_many_lines_stay_as_written() -> None:
    text = "> *a*\n" * (LINES + 1)
    assert text_of(rendered(text)) == text + "\n"
    assert "<em>" in rendered("> *a*\n" * LINES)
