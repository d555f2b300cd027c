"""From the lexicon to terms: every form that counts for a pair, what it becomes, and which of two equal forms wins."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from polibias.domain.lexicon import CountryTerms, Form, Forms, Kept, Lexicon, Organisation, PairTerms, When
from polibias.domain.masked import Level
from polibias.errors import InputError

LABELS = ("Country X", "Country Y")
REDACTED = "[REDACTED]"
KEPT = "kept"
COMBINING = "combining form"
LEADER = "leader"
TITLE = "title"
FOREIGN_NAME = "name in another language"

# Lists of a country's file: what their forms are called, and whether they stand for the country.
KINDS = {
    "names": "name",
    "short": "abbreviation",
    "codes": "code",
    "adjectives": "adjective",
    "people": "people",
    "misspelt": "misspelling",
    "combining": COMBINING,
    "capitals": "capital",
    "seats": "seat of power",
    "leaders": LEADER,
    "leaders_in_full": LEADER,
    "titled": LEADER,
    "titles": TITLE,
    "forces": "force or agency",
    "places": "place",
    "other_languages": FOREIGN_NAME,
    "redacted": "cue",
}
PAIR_KINDS = {
    "places": "disputed place",
    "groups": "group",
    "wars": "war",
    "agreements": "agreement",
    "cases": "case",
    "cues": "cue",
    "resolutions": "resolution",
}
KEPT_LISTS = ("bodies", "instruments", "places", "people", "expressions")
NAMED = frozenset({"names", "adjectives", "people", "misspelt", "combining", "other_languages"})
NAME_LISTS = ("names", "short")
"""All that the baseline replaces."""

# Which of two terms of one spelling wins: the pair's own file, what stands for a country, what is redacted, the rest.
PAIR, LABEL, CUE, ORGANISATION, STAYS = range(5)
SHORTEST_IN_ANY_CASE = {True: 4, False: 5}
RESOLUTIONS = (
    *(
        "resolution {}",
        "Resolution {}",
        "resolutions {}",
        "Resolutions {}",
        "resolutions ({}",
        "Resolutions ({}",
        "Res. {}",
        "res. {}",
        "UNSCR {}",
        "UNSC {}",
        "S/RES/{}",
        "A/RES/{}",
    ),
    *("UNSC Res. {}", "UNSC resolution {}", "UNSC Resolution {}", "SC Res. {}", "UNGA Res. {}", "UNGA resolution {}"),
    *("Security Council resolution {}", "Security Council Resolution {}", "UN Security Council resolution {}"),
    *("UN Security Council Resolution {}", "General Assembly resolution {}", "General Assembly Resolution {}"),
    *("UNGA Resolution {}", "UN General Assembly resolution {}", "UN General Assembly Resolution {}"),
    "United Nations Security Council resolution {}",
)


class Term(NamedTuple):
    """A form, what it becomes (nothing if it is kept), its class, where it is written down, and its rank."""

    form: str
    when: When
    text: str
    kind: str
    rule: str
    rank: int


def terms_of(a: str, b: str, lexicon: Lexicon, level: Level) -> list[Term]:
    """Every term of the pair, X being `a` and Y being `b`, by rank.

    InputError if a form stands for both countries and the pair's file does not say what becomes of it.
    """
    found = list(_kept(lexicon.kept, lexicon.pairs.get(f"{a}-{b}") or lexicon.pairs[f"{b}-{a}"]))
    for label, country in zip(LABELS, (a, b), strict=True):
        found += _country(lexicon.countries[country], label, level)
    if level == "full":
        pair = lexicon.pairs.get(f"{a}-{b}") or lexicon.pairs[f"{b}-{a}"]
        found += _pair(pair, dict(zip((a, b), LABELS, strict=True)))
        for one in lexicon.organisations:
            found += _organisation(one, {a, b})
        _refuse_shared(pair.id, found)
    return sorted(found, key=lambda term: term.rank)


def _kept(kept: Kept, pair: PairTerms) -> Iterator[Term]:
    for name in KEPT_LISTS:
        for form, when in _read(getattr(kept, name), False):
            if form not in pair.not_kept:
                yield Term(form, when, "", KEPT, f"kept {name}: {form}", STAYS)


def _country(country: CountryTerms, label: str, level: Level) -> Iterator[Term]:
    for field, kind in KINDS.items():
        if level == "names" and field not in NAME_LISTS:
            continue
        stands = field not in ("titles", "redacted")
        text = label if stands else REDACTED
        for form, when in _read(getattr(country, field), field in NAMED):
            became = f"{label} nationals" if field == "people" else f"{label}-" if field == "combining" else text
            what = (became, kind, f"{country.id} {field}: {form}")
            rank = LABEL if stands else CUE
            for part, counts in _parts(field, form, when):
                if counts == "address":
                    yield Term(part, counts, REDACTED, *what[1:], CUE)
                else:
                    yield Term(part, counts, *what, rank)


def _parts(field: str, form: str, when: When) -> Iterator[tuple[str, When]]:
    """The forms that one entry of a country's list means."""
    if field == "codes":
        yield form, "bracketed"
        if len(form) == 2:
            yield f".{form.lower()}", "address"
            yield "".join(chr(0x1F1E6 + ord(letter) - ord("A")) for letter in form), "any"
    elif field == "titled":
        yield form, "titled"
    elif field in ("leaders", "leaders_in_full"):
        words = form.split()
        counts: When = "capital" if when == "any" else when
        last = range(len(words)) if field == "leaders" else [0]
        yield from ((" ".join(words[n:]), counts) for n in last)
        if field == "leaders" and len(words) > 2:
            yield f"{words[0]} {words[-1]}", counts
    else:
        yield form, when


def _pair(pair: PairTerms, labels: Mapping[str, str]) -> Iterator[Term]:
    for country, forms in pair.stands_for.items():
        for form, when in _read(forms, True):
            yield Term(form, when, labels[country], "name", f"{pair.id} stands_for {country}: {form}", PAIR)
    for field, kind in PAIR_KINDS.items():
        for form, when in _read(getattr(pair, field), True):
            rule = f"{pair.id} {field}: {form}"
            if field == "resolutions":
                spelt = [spelling.format(form) for spelling in RESOLUTIONS]
                yield from (Term(one, "citation", REDACTED, kind, rule, PAIR) for one in spelt)
            else:
                yield Term(form, when, REDACTED, kind, rule, PAIR)


def _organisation(one: Organisation, countries: set[str]) -> Iterator[Term]:
    """An organisation of exactly one of the two is redacted; any other stays as it is, also around a term."""
    one_sided = len(countries & set(one.members)) == 1
    text, kind, rank = (REDACTED, "one-sided organisation", ORGANISATION) if one_sided else ("", KEPT, STAYS)
    for form, when in _read(one.forms, False):
        yield Term(form, when, text, kind, f"organisation {one.id}: {form}", rank)


def _read(forms: Forms, names: bool) -> Iterator[tuple[str, When]]:
    """Each form and when it counts; `names` count in any case, several words and four letters too."""
    for entry in forms:
        if isinstance(entry, Form):
            yield entry.form, entry.when
        elif entry.isupper() and len(entry) < SHORTEST_IN_ANY_CASE[False]:
            yield entry, "exact"
        elif names or (entry.isalpha() and len(entry) >= SHORTEST_IN_ANY_CASE[False]):
            yield entry, "any" if len(entry) >= SHORTEST_IN_ANY_CASE[names] or not entry.isascii() else "capital"
        else:
            yield entry, "capital"


def _refuse_shared(pair: str, found: list[Term]) -> None:
    own = {term.form for term in found if term.rank == PAIR}
    owners: dict[str, str] = {}
    for term in found:
        if term.rank == LABEL and term.form not in own:
            label = term.text[: len(LABELS[0])]
            if owners.setdefault(term.form, label) != label:
                raise InputError(
                    f"data/lexicon/pairs/{pair}.toml: '{term.form}' stands for both countries; say here what it is"
                )


def by_form(terms: list[Term]) -> Mapping[str, Term]:
    """The winning term of each form."""
    found: dict[str, Term] = {}
    for term in terms:
        found.setdefault(term.form, term)
    return found
