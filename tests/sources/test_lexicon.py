"""The lexicon: it has every country and pair, it knows what CLDR knows, and every mistake in it is told in one line."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from babel import Locale, localedata
from babel.languages import get_official_languages

from polibias.errors import InputError
from polibias.inspection import inspect
from polibias.masking.mask import Masker
from polibias.sources.lexicon import lexicon_problems, read_lexicon, require_pair
from polibias.sources.library import Library
from tests.conftest import ROOT, spoil
from tests.masking.lexicon import lexicon, mask

READ_EVERYWHERE = ("ar", "zh", "zh_Hant", "fr", "ru", "es")
"""The languages of the United Nations but English: every country's name in them is known, beside its own languages."""

ALPHABETS_OF_ENGLISH = ("en_Shaw", "en_Dsrt")
"""English in alphabets that nobody's answers are in."""


def test_every_country_and_pair_of_the_data_has_an_entry() -> None:
    library = Library(ROOT / "data")
    assert library.countries.keys() == lexicon().countries.keys()
    assert library.pairs.keys() == lexicon().pairs.keys()


def test_every_country_is_masked_by_the_name_it_is_asked_about() -> None:
    library = Library(ROOT / "data")
    for pair in library.pairs.values():
        for country, label in ((library.countries[pair.a], "Country X"), (library.countries[pair.b], "Country Y")):
            assert mask(pair.id, f"from {country.in_text}.").text == f"from {label}."
            assert mask(pair.id, f"defend {country.possessive} acts").text == f"defend {label}'s acts"


def cldr_names(code: str) -> Iterator[str]:
    """What the library calls a territory in every English, in its own languages and in those of the United Nations."""
    english = [name for name in localedata.locale_identifiers() if name.partition("_")[0] == "en"]
    own = get_official_languages(code, regional=True, de_facto=True)
    for name in (*english, *own, *READ_EVERYWHERE):
        if localedata.exists(name) and not name.startswith(ALPHABETS_OF_ENGLISH):
            found = Locale.parse(name).territories.get(code)
            if found:
                yield found


REAL = [(pair, place) for pair in sorted(lexicon().pairs) for place in (0, 1)]


@pytest.mark.parametrize(("pair", "place"), REAL)
def test_no_name_that_the_library_knows_is_missing(pair: str, place: int) -> None:
    country = lexicon().countries[require_pair(pair, lexicon())[place]]
    if not country.codes:
        assert Library(ROOT / "data").countries[country.id].fictional
        return
    names = set(cldr_names(country.codes[0]))
    assert len(names) > 3
    label = ("Country X", "Country Y")[place]
    right = (f"We saw {label} there.", f"We saw {label} nationals there.")  # Filipinas are people in English
    found = {name: mask(pair, f"We saw {name} there.").text for name in names}
    assert {name: text for name, text in found.items() if text not in right} == {}


def test_every_pair_compiles_in_both_orders_and_at_both_levels() -> None:
    for pair in lexicon().pairs:
        a, b = require_pair(pair, lexicon())
        for level in ("full", "names"):
            assert Masker(a, b, lexicon(), level).lexicon != Masker(b, a, lexicon(), level).lexicon


def test_the_shipped_lexicon_is_clean() -> None:
    assert lexicon_problems(ROOT / "data") == []


RUSSIA, PAIR = "lexicon/countries/russia.toml", "lexicon/pairs/russia-ukraine.toml"
ORGANISATIONS = "lexicon/organisations.toml"
MISTAKES: dict[str, tuple[str, str, str, str]] = {
    "an unknown list": (RUSSIA, "capitals =", "capitols =", "unknown field `capitols`"),
    "an unknown condition": (
        RUSSIA,
        'capitals = ["Moscow"]',
        'capitals = [{ form = "Moscow", when = "often" }]',
        "Invalid enum value 'often' (at capitals number 1.when)",
    ),
    "a form twice": (
        RUSSIA,
        '["Moscow"]',
        '["Moscow", "Russia"]',
        "capitals: 'Russia' stands in names already; name it once",
    ),
    "an empty form": (RUSSIA, '["Moscow"]', '["Moscow", ""]', "at capitals number 2"),
    "two spaces": (RUSSIA, '["Moscow"]', '["Red  Square"]', "capitals: 'Red  Square' is no term"),
    "no letters": (RUSSIA, '["Moscow"]', '["***"]', "capitals: '***' is no term"),
    "another id": (RUSSIA, 'id = "russia"', 'id = "rusia"', "its id is 'rusia'; name the file rusia.toml"),
    "a day": (RUSSIA, 'as_of = "2026-11-30"', 'as_of = "November"', "at as_of"),
    "no TOML": (RUSSIA, "names = [", "names = ", "not valid TOML"),
    "a pair's other country": (
        PAIR,
        "places =",
        'stands_for.peru = ["the X"]\nplaces =',
        "stands_for: 'peru' is not one of its countries",
    ),
    "a member": (
        ORGANISATIONS,
        '"armenia", "russia"]',
        '"armenia", "rusia"]',
        "organisation 'csto': unknown country 'rusia'; did you mean russia",
    ),
    "an organisation's form twice": (
        ORGANISATIONS,
        '["CSTO", ',
        '["CSTO", "NATO", ',
        "organisation 'csto': 'NATO' stands in organisation 'nato'",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told_in_one_line_that_names_the_file(data: Path, mistake: str) -> None:
    file, old, new, told = MISTAKES[mistake]
    spoil(data / file, old, new)
    with pytest.raises(InputError) as raised:
        read_lexicon(data)
    assert told in str(raised.value)
    assert file in str(raised.value)
    assert "\n" not in str(raised.value)
    assert [line for line in inspect(data).problems if told in line]


def test_a_pair_of_unknown_countries_is_told(data: Path) -> None:
    (data / "lexicon" / "countries" / "peru.toml").unlink()
    line, *_ = lexicon_problems(data)
    assert "chile-peru.toml: its id is not that of two countries" in line


def test_a_form_of_both_countries_has_to_be_decided(data: Path) -> None:
    spoil(data / RUSSIA, '["Moscow"]', '["Moscow", "Kyiv"]')
    spoiled = read_lexicon(data)
    with pytest.raises(InputError, match=r"russia-ukraine.toml: 'Kyiv' stands for both countries; say here what it is"):
        Masker("russia", "ukraine", spoiled)


def test_a_data_folder_without_a_lexicon_is_no_mistake_until_something_is_masked(data: Path) -> None:
    for path in sorted((data / "lexicon").rglob("*.toml")):
        path.unlink()
    for folder in ("countries", "pairs", "."):
        (data / "lexicon" / folder).rmdir()
    assert lexicon_problems(data) == []
    with pytest.raises(InputError, match="no such folder; masking needs"):
        read_lexicon(data)
