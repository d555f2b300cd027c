"""What gives a country away: its names and everything named after it. Frozen values read from `data/lexicon/`.

An entry of a list is a form as it is written, or a table that also says when the form counts:

- `any`: in any case of letters. The default of names and peoples, and of every other single word of five letters or
more.
- `capital`: as written or in more capitals, so that china is not China. The default of leaders and of several words.
- `exact`: letter for letter. The default of abbreviations and of what is shorter.
- `alone`: exact, and not before "of" or a word with a capital: the North, not the North Atlantic.
- `bracketed`: exact, and between brackets, bars or slashes: (PER), not PER.
- `titled`: exact, and after a title: President Lee.
- `surname`: exact; after a title, before 's, or not a Roman numeral: Xi, not Article XI and (xi).
- `not_pronoun`: exact, and no pronoun of a line in capitals: US.
- `address`: letter for letter, at the end of a host's name: .gov.
- `citation`: exact, with the numbers around it: 18 U.S.C. § 2441.
"""

from typing import Literal, NamedTuple

from polibias.domain.scenario import Day
from polibias.domain.value import EntryId, Text, Value

When = Literal[
    "any", "capital", "exact", "alone", "bracketed", "titled", "surname", "not_pronoun", "address", "citation"
]


class Form(Value, frozen=True):
    """A form as it is written, and when it counts."""

    form: Text
    when: When


Forms = tuple[Text | Form, ...]


class CountryTerms(Value, frozen=True):
    """What stands for one country. Everything but `titles` and `redacted` becomes the country's label.

    `codes`: ISO 3166 and the like, the two letters first; they count between brackets, and the two letters at the end
    of a host's name, where they are redacted. `short`: abbreviations, also with full stops. `combining`: what comes
    before a hyphen only, as Sino. `seats`: buildings and organs that speak for the country. The last word of one of
    the `leaders` counts alone too, one of `leaders_in_full` as a whole, one of `titled` after a title. `titles`:
    redacted, but part of the name before a leader. `redacted`: what gives the country away without standing for it.
    `stems`: beginnings of words that must not be left over; `innocent` words may.
    """

    id: EntryId
    as_of: Day
    codes: tuple[Text, ...] = ()
    names: Forms = ()
    short: Forms = ()
    adjectives: Forms = ()
    people: Forms = ()
    misspelt: Forms = ()
    combining: Forms = ()
    capitals: Forms = ()
    seats: Forms = ()
    leaders: Forms = ()
    leaders_in_full: Forms = ()
    titled: tuple[Text, ...] = ()
    titles: Forms = ()
    forces: Forms = ()
    places: Forms = ()
    other_languages: Forms = ()
    redacted: Forms = ()
    stems: tuple[Text, ...] = ()
    innocent: tuple[Text, ...] = ()


class PairTerms(Value, frozen=True):
    """What gives a pair away, or one side of it, and stands for neither: all of it is redacted.

    `stands_for`, by country, is the exception: what means that country in this pair and nothing in others.
    `resolutions`: numbers of resolutions of the United Nations. `not_kept`: terms that stay elsewhere and not here.
    """

    id: EntryId
    as_of: Day
    stands_for: dict[EntryId, Forms] = {}
    places: Forms = ()
    groups: Forms = ()
    wars: Forms = ()
    agreements: Forms = ()
    cases: Forms = ()
    cues: Forms = ()
    resolutions: tuple[Text, ...] = ()
    not_kept: tuple[Text, ...] = ()


class Organisation(Value, frozen=True):
    """An organisation, and the countries of `data/countries` that belong to it."""

    id: EntryId
    forms: Forms
    members: tuple[EntryId, ...]


class Organisations(Value, frozen=True):
    """What `data/lexicon/organisations.toml` holds."""

    as_of: Day
    organisation: tuple[Organisation, ...]


class Kept(Value, frozen=True):
    """What stays in every pair though a part of it is a term, and `innocent` words that only look like one."""

    as_of: Day
    bodies: Forms = ()
    instruments: Forms = ()
    places: Forms = ()
    people: Forms = ()
    expressions: Forms = ()
    innocent: tuple[Text, ...] = ()


class Lexicon(NamedTuple):
    """Everything under `data/lexicon/`; countries and pairs by id."""

    countries: dict[str, CountryTerms]
    pairs: dict[str, PairTerms]
    organisations: tuple[Organisation, ...]
    kept: Kept
