"""What has to change around a term so that the sentence stays English and its articles give nothing away."""

import re
from collections.abc import Iterable, Iterator

from polibias.masking.conditions import is_title, word_after, word_before
from polibias.masking.english import (
    AFTER_A_NOUN,
    ARTICLED,
    BETWEEN_TITLES,
    NOUNS,
    OBJECT_BEGINS,
    PLURAL_VERBS,
    PROVISIONS,
    SENTENCE_BEGINS,
    VERBS_TOO,
)
from polibias.masking.folding import HYPHENS, OTHER_SCRIPTS, PARAGRAPH, WITHOUT_SPACES, Folded

ARTICLED_KINDS = frozenset({"abbreviation", "seat of power", "force or agency"})
THE, AN = frozenset({"the ", "The ", "THE "}), frozenset({"an ", "An ", "AN "})
OPENING = frozenset("\"'([")
HANGUL = "\uac00"
MARKS = re.compile(r"[*`~]+|(?<![^\W_])_+|_+(?![^\W_])")
TAG = re.compile(r"<(/?)(?:[A-Za-z][A-Za-z0-9]{0,15})(?<!\bbr)(?<!\bwbr)(?:\s[^<>]{0,300})?(?<!/)>")
LINE = 400
"""How far back the beginning of an emphasis is looked for."""


Edit = tuple[int, int, str]
"""`source[start:end]` becomes `text`."""


def takes_article(form: str, kind: str) -> bool:
    """Whether English puts an article before this form when it stands for the country by itself."""
    return kind in ARTICLED_KINDS or (
        kind == "name" and (form.endswith("Philippines") or bool(ARTICLED & {*form.split()}))
    )


def article_before(text: str, start: int) -> str:
    """The article that stands before a term, with its space; nothing if none does."""
    before = text[max(0, start - 4) : start]
    if before in THE and not text[max(0, start - 5) : start - 4].isalnum():
        return before
    return before[-3:] if before[-3:] in AN and not before[:-3].isalnum() else ""


def before_opening(text: str, start: int) -> int:
    """Where a term that is quoted or in brackets begins with them: "an" before them is told by the term too."""
    return start - 1 if text[start - 1 : start] in OPENING and text[start - 2 : start - 1] == " " else start


def without_article(folded: Folded, start: int, article: str) -> Iterator[Edit]:
    """The article before a term goes, "an" to "a" and "the" with the blank after it; marks of Markdown stay."""
    if folded.source[folded.start(start - 1)] in HYPHENS:
        return
    if article in AN:
        place = folded.start(start - 2)
        yield place, place + 1, ""
    else:
        yield *folded.span(start - 4, start), ""


def as_noun(folded: Folded, end: int, articled: bool) -> bool:
    """Whether a name that ends here, after "the", stands for itself and not before a noun.

    Where that is in doubt, a name that has an article of its own loses it, since "the Country X" would tell.
    """
    text = folded.text
    after = text[end : end + 1]
    if after == "/" or folded.next_in_source(end) in HYPHENS:
        return False
    if after != " " or (text[end - 1] == "." and ends_sentence(text, end)):
        return True
    word = word_after(text, end) if text[end + 1 : end + 2].isalpha() else ""
    if not word or word.lower() in AFTER_A_NOUN:
        return True
    if not articled:
        return False
    if word.lower() in VERBS_TOO and word_after(text, end + 1 + len(word)) in OBJECT_BEGINS:
        return True
    return not (word.lower() in NOUNS or (word[0].isupper() and not word.isupper()))


def stands_for_people(text: str, end: int) -> bool:
    """Whether an adjective between "the" and a verb means a people: the French are."""
    return text[end : end + 1] == " " and word_after(text, end) in PLURAL_VERBS


def whole_word(text: str, start: int, end: int, done: int) -> tuple[int, int]:
    """A name in another alphabet with the endings and particles written onto it. Not from before `done`."""
    if text[start] < OTHER_SCRIPTS or WITHOUT_SPACES <= text[start] < HANGUL:
        return start, end
    while start > done and text[start - 1] >= OTHER_SCRIPTS and text[start - 1].isalpha():
        start -= 1
    while end < len(text) and text[end] >= OTHER_SCRIPTS and text[end].isalpha():
        end += 1
    return start, end


NUMBERS_BEFORE = re.compile(r"\d{1,3} $")
NUMBERS_AFTER = re.compile(r" ?§{1,2} ?\d[\w()]*(?: \d+\b)?|(?: ?\(\d{4}\)|,? (?:and|or) \d{2,4}\b|, \d{3,4}\b)+")


def with_numbers(text: str, start: int, end: int, done: int) -> tuple[int, int]:
    """A citation with its numbers: title and section of a statute, year of a resolution. Not from before `done`."""
    before = NUMBERS_BEFORE.search(text, max(done, start - 4), start) if text[start] == "U" else None
    after = NUMBERS_AFTER.match(text, end)
    last = after.end() if after else end
    if "(" in text[start:end] and text[last : last + 1] == ")":
        last += 1
    return before.start() if before else start, last


def before_titles(text: str, start: int, done: int) -> int:
    """Where the titles before a leader's name begin, not before `done`."""
    while (word := word_before(text, start)) and (is_title(word) or word in BETWEEN_TITLES):
        begin = text.rfind(word, max(0, start - len(word) - 2), start)
        if begin < done or (word in BETWEEN_TITLES and not is_title(word_before(text, begin))):
            break
        start = begin
    return start


GIVEN = re.compile(r"(?<![\w.])(?:[A-Z]\. ?|[A-Z][a-z']+ ){1,4}$")
PIECE = re.compile(r"[A-Z][a-z']*")
LONGEST_GIVEN = 60


def before_given(text: str, start: int, done: int, given: Iterable[str]) -> int:
    """Where the given name and initials before a leader's surname begin, not before `done`.

    `given` are the first names that the lexicon has with the surname. An initial of none of them stays: the full
    stop before the name may end a sentence, as after "Annex B".
    """
    before = GIVEN.search(text, max(done, start - LONGEST_GIVEN), start) if text[start - 1 : start] == " " else None
    for piece in PIECE.finditer(before[0]) if before else ():
        begin = before.start() + piece.start() if before else start
        initial = len(piece[0]) == 1
        if initial and (word_before(text, begin) in PROVISIONS or word_before(text, begin).isupper()):
            continue  # "Annex V. Putin", "UKRAINE V. PUTIN"
        if any(name.startswith(piece[0]) if initial else name == piece[0] for name in given):
            return begin
    return start


def possessive(folded: Folded, start: int, end: int, s: str) -> Iterator[Edit]:
    """The lone apostrophe after a term in s becomes 's, `s` being small or not. One that closes a quotation stays."""
    text = folded.text
    if text[end + 1 : end + 2] == " " and "'" not in text[max(0, start - 5) : start]:
        place = folded.start(end)
        yield place, place + 1, folded.source[place] + s


def ends_sentence(text: str, end: int) -> bool:
    """Whether the full stop of an abbreviation that ends here is the sentence's too."""
    after = text[end : end + 1]
    if after in ("", PARAGRAPH):
        return True
    return after in " \"')" and word_after(text, end) in SENTENCE_BEGINS


def with_markup(source: str, start: int, end: int, text: str) -> str:
    """What takes the place of `source[start:end]`, with marks and tags beside it that are half of a pair."""
    opened: list[str] = []
    closed = ""
    for tag in TAG.finditer(source, start, end):
        if not tag[1]:
            opened.append(tag[0])
        elif opened:
            opened.pop()
        else:
            closed += tag[0]
    half = "".join(opened)
    text = text + closed + half if closed else half + text
    marks = [run[0] for run in MARKS.finditer(source, start, end)]
    if len(marks) % 2 == 0:
        return text
    mark = marks[0]
    line = source[max(0, start - LINE) : start].rpartition("\n")[2]
    return text + mark if line.count(mark) % 2 else mark + text
