"""Whether a term counts where it stands, for the forms whose words mean other things too."""

import re
from collections.abc import Callable

from polibias.masking.english import COUNTRY_AFTER, LOWER_TITLES, PROVISIONS, TITLES
from polibias.masking.folding import HYPHENS, Folded

WORD_AFTER = re.compile(r"[ '\"(,]*([A-Za-z\[][A-Za-z]*)")
OPENING, CLOSING = frozenset("([|/"), frozenset(")]|/,;")
ADDRESS = frozenset("#@/")
SIGNS, WORDS_TOO = ("//", "@", "www.", ".co", ".gov", ".ac"), frozenset({"am", "in", "no", "us"})
LONGEST_HOST = 100
NEUTRAL = frozenset({"Country", "COUNTRY", "X", "Y", "REDACTED", "nationals", "NATIONALS"})


def word_before(text: str, start: int) -> str:
    """The word that ends one space before `start`, also one with a full stop; nothing if there is none on its line."""
    end = start - 1
    if end < 1 or text[end] != " ":
        return ""
    if text[end - 1] == ".":
        end -= 1
    begin = end
    while begin > 0 and end - begin < 30 and text[begin - 1].isalnum():
        begin -= 1
    return text[begin:end]


def word_after(text: str, end: int) -> str:
    """The word that follows, with a bracket if it begins with one."""
    match = WORD_AFTER.match(text, end)
    return match[1] if match else ""


def is_title(word: str) -> bool:
    """Whether a word may stand before a leader's name and belong to it."""
    return word in TITLES or word in LOWER_TITLES


def alone(folded: Folded, _start: int, end: int) -> bool:
    """Not "of" and no word with a capital follows at once."""
    after = word_after(folded.text, end) if folded.text[end : end + 1] == " " else ""
    return after != "of" and not after[:1].isupper() and after[:1] != "["


def bracketed(folded: Folded, start: int, end: int) -> bool:
    """Between brackets, bars or slashes."""
    before = folded.text[max(0, start - 2) : start].rstrip(" ")[-1:]
    after = folded.text[end : end + 2].lstrip(" ")[:1]
    return before in OPENING and after in CLOSING


def titled(folded: Folded, start: int, _end: int) -> bool:
    """After a title."""
    return is_title(word_before(folded.text, start))


def surname(folded: Folded, start: int, end: int) -> bool:
    """A surname and no Roman numeral."""
    text = folded.text
    if text[start - 1 : start] in ("(", "[") or text[end : end + 1] in (")", "]"):
        return False
    return word_before(text, start) not in PROVISIONS


def not_pronoun(folded: Folded, start: int, end: int) -> bool:
    """No sum of money, and no pronoun of a line in capitals: a neighbour in lower case, or one that shows a country."""
    text = folded.text
    if text[end : end + 1] == "$" and text[end + 1 : end + 2].strip(" ").isdigit():
        return False  # a sum of money
    before, after = word_before(text, start), word_after(text, end)
    if before == "THE" or after in COUNTRY_AFTER or text[end : end + 1] in ("'", "/"):
        return True
    if folded.next_in_source(end) in HYPHENS and text[end : end + 1] == " ":
        return True
    shouted = [word in NEUTRAL or word.isupper() for word in (before, after) if len(word) > 1 or word in NEUTRAL]
    return not shouted or not all(shouted)


def before_hyphen(folded: Folded, _start: int, end: int) -> bool:
    """A combining form: its last character is a hyphen in the source, and a word follows."""
    return folded.source[folded.start(end - 1)] in HYPHENS and folded.text[end : end + 1].isalnum()


def in_address(folded: Folded, start: int, _end: int) -> bool:
    """Part of an address, a hashtag or a handle, where names have no capitals."""
    return folded.text[start - 1 : start] in ADDRESS


def address(folded: Folded, start: int, end: int) -> bool:
    """The end of a host's name. What could be a word after a full stop needs a sign of an address before it."""
    text = folded.text
    if not text[start - 1 : start].isalnum():
        return False
    host = text[max(0, start - LONGEST_HOST) : start].rpartition(" ")[2]
    return text[start + 1 : end] not in WORDS_TOO or any(sign in host for sign in SIGNS)


CONDITIONS: dict[str, Callable[[Folded, int, int], bool]] = {
    "alone": alone,
    "bracketed": bracketed,
    "titled": titled,
    "surname": surname,
    "not_pronoun": not_pronoun,
    "address": address,
}
