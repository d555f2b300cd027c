"""What holds for every text: laws of the masker, over texts made of terms, of what is kept, of words and of marks."""

from hypothesis import example, given, settings
from hypothesis import strategies as st

from polibias.domain.masked import Masked
from polibias.masking.mask import applied
from polibias.masking.terms import KEPT, terms_of
from polibias.sources.lexicon import require_pair
from tests.masking.lexicon import lexicon, mask

WORDS = """\
the The an An a of and or to in for is are the former President Minister Article Part v. State States army navy says
that Prosecutor armed FORCES THE FOR US us turkey china per nor can (xi) Country (X) US U.S. 18 § 1999 # * ** _ ` ~~ - –
— / ' ’ " ( ) [ ] , . : ; ! ? & &amp; <b> </b> <br> > | www.example.org/"""
MARKS_AND_WORDS = [*WORDS.split(), "\n", "\n\n", " "]
PAIRS = sorted(lexicon().pairs)


@st.composite
def texts(draw: st.DrawFn, terms: bool = True) -> tuple[str, str]:
    """A pair, and a text in which its terms, other pairs' terms and kept ones stand among words and marks."""
    pair = draw(st.sampled_from(PAIRS))
    own = terms_of(*require_pair(pair, lexicon()), lexicon(), "full")
    kept = [term.form for term in own if term.kind == KEPT]
    forms = [term.form for term in own if term.kind != KEPT]
    kinds = [st.sampled_from(MARKS_AND_WORDS), st.sampled_from(kept), *([st.sampled_from(forms)] * 3 if terms else [])]
    pieces = draw(st.lists(st.one_of(kinds), max_size=24))
    cases = draw(st.lists(st.sampled_from((str, str, str, str.upper, str.lower)), min_size=24, max_size=24))
    gaps = draw(st.lists(st.sampled_from((" ", " ", " ", " ", "", "-", "\n")), min_size=24, max_size=24))
    return pair, "".join(case(piece) + gap for piece, case, gap in zip(pieces, cases, gaps, strict=False))


def exchanged(text: str) -> str:
    for old, new in (("Country X", "\0"), ("Country Y", "Country X"), ("\0", "Country Y")):
        text = text.replace(old, new)
    for old, new in (("COUNTRY X", "\0"), ("COUNTRY Y", "COUNTRY X"), ("\0", "COUNTRY Y")):
        text = text.replace(old, new)
    return text


def reverse(pair: str) -> str:
    a, b = require_pair(pair, lexicon())
    return f"{b}-{a}"


@settings(max_examples=400, deadline=None)
@given(texts())
@example(("china-united-states", "TOLD US PRC"))
@example(("china-united-states", "CHINA TELLS US THAT"))
@example(("north-korea-south-korea", "the North Pyongyang, the South juche"))
def test_masking_twice_is_masking_once(case: tuple[str, str]) -> None:
    pair, text = case
    once = mask(pair, text)
    twice = mask(pair, once.text)
    assert (twice.text, twice.replacements) == (once.text, ())


@given(
    st.lists(st.sampled_from(("by the US", "the PRC", "of the Kremlin", "the US Navy", "the U.S.")), max_size=4),
    st.integers(50, 75),
)
def test_a_list_is_not_taken_for_another_language_once_it_is_masked(names: list[str], items: int) -> None:
    text = "; ".join([*names, *["item"] * items, *names])
    once = mask("china-united-states", text)
    if once.whole:
        assert mask("china-united-states", once.text).text == once.text


@settings(max_examples=250, deadline=None)
@given(texts())
def test_the_reversed_pair_exchanges_the_labels_and_nothing_else(case: tuple[str, str]) -> None:
    pair, text = case
    if exchanged(text) == text:
        one, other = mask(pair, text), mask(reverse(pair), text)
        assert exchanged(one.text) == other.text
        assert (one.status, one.leaks) == (other.status, other.leaks)
        assert [(r.start, r.end, r.rule) for r in one.replacements] == [
            (r.start, r.end, r.rule) for r in other.replacements
        ]


@settings(max_examples=250, deadline=None)
@given(texts())
def test_replacements_make_the_text_and_do_not_overlap(case: tuple[str, str]) -> None:
    pair, text = case
    masked = mask(pair, text)
    ends = [0, *(one.end for one in masked.replacements)]
    assert all(one.start >= end and one.end > one.start for one, end in zip(masked.replacements, ends, strict=False))
    if masked.status != "unreadable":
        assert applied(text, masked.replacements) == masked.text


@settings(max_examples=200, deadline=None)
@given(texts(terms=False))
def test_nothing_is_replaced_within_a_longer_kept_term(case: tuple[str, str]) -> None:
    pair, text = case
    own = terms_of(*require_pair(pair, lexicon()), lexicon(), "full")
    masked = mask(pair, text)
    for form in {term.form for term in own if term.kind == KEPT} - {term.form for term in own if term.kind != KEPT}:
        at = text.find(form)
        while at >= 0:
            end = at + len(form)
            inside = [
                one
                for one in masked.replacements
                if at <= one.start and one.end <= end and one.end - one.start < end - at
            ]
            whole = not (text[at - 1 : at].isalnum() or text[end : end + 1].isalnum())
            assert not (inside and whole), (form, inside)
            at = text.find(form, end)


NEUTRAL = """\
the State of a party which any force shall not be used against under these rules and that an attack on civilians must be
proportionate us turkey per nor can Article 8(2)(b)(xi) Rome Statute Geneva Conventions United Nations Charter States
Parties Member the States concerned Prosecutor v. Tadić Inter-American Court Jordan Georgia Niger"""


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(PAIRS), st.lists(st.sampled_from(NEUTRAL.split()), max_size=80))
def test_a_text_without_terms_stays_as_it_is(pair: str, words: list[str]) -> None:
    text = " ".join(words)
    assert (mask(pair, text).text, mask(pair, text).status) == (text, "unchanged")


@settings(max_examples=250, deadline=None)
@given(st.sampled_from(PAIRS), st.text(st.characters(exclude_categories=()), max_size=80))
def test_no_text_is_an_error(pair: str, text: str) -> None:
    masked = mask(pair, text)
    assert isinstance(masked, Masked)
    assert masked.status in ("masked", "unchanged", "leaking", "unreadable")
    assert masked.text == "" if masked.status == "unreadable" else applied(text, masked.replacements) == masked.text
