"""What is linted: the entries of a data folder with their places, and what they are held to."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

from polibias.domain.scenario import Condition, Country, CountryPair, Frame, Task, Template
from polibias.domain.value import Value

EntryT = TypeVar("EntryT", covariant=True)
Kept = TypeVar("Kept")
Worded = Template | Task | Frame
Named = Worded | Country | CountryPair | Condition

KINDS: dict[type[Value], str] = {
    Country: "country",
    CountryPair: "pair",
    Template: "template",
    Task: "task",
    Frame: "frame",
    Condition: "condition",
}
TOTAL = "total"


class Placed(Protocol[EntryT]):
    """An entry and where it stands, as `FILE:LINE`."""

    @property
    def where(self) -> str: ...

    @property
    def entry(self) -> EntryT: ...


class Instrument(Protocol):
    """A treaty: the words before one and before several of its provisions, and the provisions that may be cited."""

    @property
    def article_word(self) -> tuple[str, str]: ...

    @property
    def provisions(self) -> frozenset[str]: ...


class Expected(Protocol):
    """How many entries there should be, and where that is written."""

    @property
    def where(self) -> str: ...

    @property
    def number(self) -> int: ...


class Finding(NamedTuple):
    """One thing that is wrong: where, and in one line what it is and what to do."""

    where: str
    what: str


class Material(NamedTuple):
    """A data folder's entries, in the order of their files, and what they are held to.

    `provisions`: instruments by name; empty if there is no table, and then citations are checked for their form only.
    `expected`: numbers by kind and category, of the entries of `files`; what is not in it is not checked.
    `terms`: further words, by country id, that no text may use.
    """

    countries: Sequence[Placed[Country]]
    pairs: Sequence[Placed[CountryPair]]
    templates: Sequence[Placed[Template]]
    tasks: Sequence[Placed[Task]]
    frames: Sequence[Placed[Frame]]
    conditions: Sequence[Placed[Condition]]
    provisions: Mapping[str, Instrument] = {}
    expected: Mapping[str, Mapping[str, Expected]] = {}
    terms: Mapping[str, Sequence[str]] = {}
    files: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls,
        placed: Mapping[type[Value], Sequence[Placed[Any]]],
        provisions: Mapping[str, Instrument],
        expected: Mapping[str, Mapping[str, Expected]],
        files: frozenset[str] = frozenset(),
        terms: Mapping[str, Sequence[str]] = {},
    ) -> "Material":
        """The material among entries that were read by type."""
        country, pair, template, task, frame, condition = (placed.get(type_, ()) for type_ in KINDS)
        return cls(country, pair, template, task, frame, condition, provisions, expected, terms, files)

    def among(self, files: frozenset[str]) -> "Material":
        """The entries of these files; of all of them if none are named."""

        def kept(kind: Sequence[Placed[Kept]]) -> list[Placed[Kept]]:
            return [one for one in kind if not files or _stem(one.where) in files]

        return self._replace(
            countries=kept(self.countries),
            pairs=kept(self.pairs),
            templates=kept(self.templates),
            tasks=kept(self.tasks),
            frames=kept(self.frames),
            conditions=kept(self.conditions),
        )

    def entries(self) -> Iterator[Placed[Named]]:
        """Every entry, kind by kind."""
        for kind in (self.countries, self.pairs, self.templates, self.tasks, self.frames, self.conditions):
            yield from kind

    def texts(self) -> Iterator[tuple[Placed[Worded], str]]:
        """Every entry whose words reach a model, with those words."""
        yield from ((placed, placed.entry.text) for placed in self.templates)
        yield from ((placed, placed.entry.text) for placed in self.tasks)
        yield from ((placed, placed.entry.layout) for placed in self.frames)

    def cast(self) -> Iterator[tuple[Placed[CountryPair], Country, Country]]:
        """Every pair whose two countries are known and differ."""
        known = {placed.entry.id: placed.entry for placed in self.countries}
        for placed in self.pairs:
            a, b = known.get(placed.entry.a), known.get(placed.entry.b)
            if a and b and a.name != b.name:
                yield placed, a, b


def told(placed: Placed[Named], problem: str) -> Finding:
    """A finding on one entry, in the words that every reader of data files uses."""
    return Finding(placed.where, f"{KINDS[type(placed.entry)]} '{placed.entry.id}': {problem}")


def _stem(where: str) -> str:
    return where.rpartition("/")[2].partition(".toml")[0]


def counted(material: Material) -> dict[str, Counter[str]]:
    """How many entries there are by kind and category, and in `total`."""
    categories: dict[str, list[str]] = {
        "template": [placed.entry.category for placed in material.templates],
        "country": ["fictional" if placed.entry.fictional else "real" for placed in material.countries],
        "pair": [placed.entry.category for placed in material.pairs],
    }
    totals = {
        "template": len(material.templates),
        "country": len(material.countries),
        "pair": len(material.pairs),
        "task": len(material.tasks),
        "frame": len(material.frames),
        "condition": len(material.conditions),
    }
    return {kind: Counter({TOTAL: total}) + Counter(categories.get(kind)) for kind, total in totals.items()}
