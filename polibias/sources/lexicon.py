"""Reading `data/lexicon/`: a file for each country and each pair, one for organisations, one for what is kept."""

import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import msgspec

from polibias.domain.lexicon import CountryTerms, Form, Kept, Lexicon, Organisations, PairTerms
from polibias.errors import InputError
from polibias.sources.files import no_such, read_toml, toml_files

FOLDER = "lexicon"
ORGANISATIONS, KEPT = "organisations.toml", "kept.toml"
Terms = TypeVar("Terms", CountryTerms, PairTerms)
Whole = TypeVar("Whole", CountryTerms, PairTerms, Organisations, Kept)
AnyTerms = CountryTerms | PairTerms | Organisations | Kept


def lexicon_problems(folder: Path) -> list[str]:
    """Every mistake in the data folder's lexicon as one line, one for each file at most; none if it has no lexicon."""
    problems: list[str] = []
    if (folder / FOLDER).is_dir():
        _read(folder / FOLDER, problems)
    return problems


def read_lexicon(folder: Path) -> Lexicon:
    """The lexicon of a data folder. InputError with its first mistake, or if the folder has none."""
    place = folder / FOLDER
    if not place.is_dir():
        raise InputError(f"{place}: no such folder; masking needs the lexicon of data/lexicon")
    problems: list[str] = []
    lexicon = _read(place, problems)
    if lexicon is None:
        raise InputError(problems[0])
    return lexicon


def _read(place: Path, problems: list[str]) -> Lexicon | None:
    """A whole lexicon; else every mistake is added to `problems`. Names are looked up once every file can be read."""
    countries = _collect(place / "countries", CountryTerms, problems)
    pairs = _collect(place / "pairs", PairTerms, problems)
    organisations = _read_one(place / ORGANISATIONS, Organisations, problems)
    kept = _read_one(place / KEPT, Kept, problems)
    if organisations is None or kept is None or problems:
        return None
    problems += _unknown(place, countries, pairs, organisations)
    return None if problems else Lexicon(countries, pairs, organisations.organisation, kept)


def names_by_country(folder: Path) -> dict[str, tuple[str, ...]]:
    """Each country's names, abbreviations, adjectives and peoples, as far as the data folder's lexicon can be read."""
    countries = _collect(folder / FOLDER / "countries", CountryTerms, [])
    return {name: tuple(_names(terms)) for name, terms in countries.items()}


def _names(terms: CountryTerms) -> Iterator[str]:
    for entry in (*terms.names, *terms.short, *terms.adjectives, *terms.people, *terms.combining):
        form = _written(entry)
        if isinstance(entry, str) or entry.when not in ("alone", "bracketed"):
            yield form
        if entry in terms.short and form.isupper():
            yield ".".join(form)


def _collect(folder: Path, kind: type[Terms], problems: list[str]) -> dict[str, Terms]:
    """The files of a folder by id; what is wrong with one is added to `problems`, the others are read."""
    found: dict[str, Terms] = {}
    try:
        paths = toml_files(folder)
    except InputError as error:
        problems.append(str(error))
        return found
    for path in paths:
        terms = _read_one(path, kind, problems)
        if terms is not None:
            found[path.stem] = terms
    return found


def _read_one(path: Path, kind: type[Whole], problems: list[str]) -> Whole | None:
    """One file, or None with its first mistake added to `problems`."""
    try:
        terms = read_toml(path, kind)
    except InputError as error:
        problems.append(str(error))
        return None
    wrong = next(_problems(path, terms), None)
    if wrong:
        problems.append(f"{path}: {wrong}")
    return None if wrong else terms


def _is_written(character: str) -> bool:
    """Whether it can make a term: a letter, a digit, or the sign of a currency."""
    return character.isalnum() or unicodedata.category(character) == "Sc"


def _problems(path: Path, terms: AnyTerms) -> Iterator[str]:
    """What is wrong with one file; the first is told."""
    if isinstance(terms, CountryTerms | PairTerms) and terms.id != path.stem:
        yield f"its id is '{terms.id}'; name the file {terms.id}.toml"
    if isinstance(terms, CountryTerms) and not terms.names:
        yield "names holds nothing; name the country at least"
    seen: dict[str, str] = {}
    for place, form in _forms(terms):
        if form != " ".join(form.split()) or not any(map(_is_written, form)):
            yield f"{place}: {form!r} is no term; write words with one space between"
        if form in seen:
            yield f"{place}: '{form}' stands in {seen[form]} already; name it once"
        seen[form] = place


def _forms(terms: AnyTerms) -> Iterator[tuple[str, str]]:
    """Every form with the list that it stands in. Codes, stems and innocent words are of another kind."""
    if isinstance(terms, Organisations):
        for one in terms.organisation:
            yield from ((f"organisation '{one.id}'", _written(entry)) for entry in one.forms)
        return
    for field in msgspec.structs.fields(terms):
        value = getattr(terms, field.name)
        if isinstance(value, dict):
            for country, forms in value.items():
                yield from ((f"{field.name}.{country}", _written(entry)) for entry in forms)
        elif isinstance(value, tuple) and field.name not in ("codes", "stems", "innocent", "not_kept"):
            yield from ((field.name, _written(entry)) for entry in value)


def _written(entry: str | Form) -> str:
    return entry if isinstance(entry, str) else entry.form


def _unknown(
    place: Path, countries: dict[str, CountryTerms], pairs: dict[str, PairTerms], organisations: Organisations
) -> Iterator[str]:
    """Names of countries that have no file."""
    for pair, terms in pairs.items():
        found = split_pair(pair, countries)
        for name in terms.stands_for:
            if found and name not in found:
                yield f"{place / 'pairs' / pair}.toml: stands_for: '{name}' is not one of its countries"
        if found is None:
            yield f"{place / 'pairs' / pair}.toml: its id is not that of two countries of {place / 'countries'}"
    for one in organisations.organisation:
        for member in one.members:
            if member not in countries:
                where = f"{place / ORGANISATIONS}: organisation '{one.id}'"
                yield str(no_such("country", member, countries, where))


def split_pair(pair: str, countries: dict[str, CountryTerms]) -> tuple[str, str] | None:
    """The two countries whose ids make up this one, in its order, or None."""
    parts = pair.split("-")
    halves = (("-".join(parts[:n]), "-".join(parts[n:])) for n in range(1, len(parts)))
    return next(((a, b) for a, b in halves if a in countries and b in countries and a != b), None)


def require_pair(pair: str, lexicon: Lexicon) -> tuple[str, str]:
    """The two countries of this pair, in the order given. InputError if one of them, or the pair, has no file."""
    found = split_pair(pair, lexicon.countries)
    if found is None:
        both = [split_pair(known, lexicon.countries) or (known, known) for known in lexicon.pairs]
        raise no_such("pair", pair, [*lexicon.pairs, *(f"{b}-{a}" for a, b in both)], f"data/{FOLDER}")
    a, b = found
    if not {f"{a}-{b}", f"{b}-{a}"} & lexicon.pairs.keys():
        raise InputError(
            f"data/{FOLDER}/pairs: no file for {a}-{b}; a pair is masked once somebody has written down its terms"
        )
    return found
