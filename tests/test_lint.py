"""The shipped data keeps its own rules, and every kind of mistake planted in a copy is found where it stands."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from polibias.domain.scenario import Template
from polibias.lint.citations import citation_problems
from polibias.lint.duplicates import ALIKE, likenesses
from polibias.lint.library import lint, summary
from polibias.lint.material import Material
from polibias.lint.terms import known_forms
from polibias.sources.law import Counts, Expected, Instrument, read_counts, read_provisions
from polibias.sources.lexicon import names_by_country
from polibias.sources.library import Library
from tests.conftest import ROOT

Change = Callable[[Any], dict[str, Any]]
PLANTED = "planted/tasks.toml:7"  # one of the files that are counted


class At(NamedTuple):
    where: str
    entry: Any


@pytest.fixture(scope="module")
def shipped() -> Material:
    problems: list[str] = []
    library = Library(ROOT / "data")
    provisions, counts = read_provisions(ROOT / "data", problems), read_counts(ROOT / "data", problems)
    assert problems == []
    return Material.of(library.placed, provisions, counts.numbers, counts.files, names_by_country(ROOT / "data"))


def plant(material: Material, kind: str, name: str, change: Change) -> Material:
    """The material with one entry changed and put in a place of its own."""
    placed = getattr(material, kind)
    assert name in [at.entry.id for at in placed]
    changed = [
        At(PLANTED, msgspec.structs.replace(at.entry, **change(at.entry))) if at.entry.id == name else at
        for at in placed
    ]
    return material._replace(**{kind: changed})


def replaced(field: str, old: str, new: str) -> Change:
    def change(entry: Any) -> dict[str, Any]:
        assert old in getattr(entry, field)
        return {field: getattr(entry, field).replace(old, new, 1)}

    return change


def text(old: str, new: str) -> Change:
    return replaced("text", old, new)


def test_shipped_data_is_clean(shipped: Material) -> None:
    assert lint(shipped) == []
    assert summary(shipped)[0].startswith("template: 61, ")
    assert "country: 54, real 38, fictional 16" in summary(shipped)


TEMPLATE = "WC-DIS-001"
WRONG_TEMPLATES: dict[str, tuple[Change, str]] = {
    "a country of one pair": (text("in Eastville", "in Armenia"), "with pair 'armenia-azerbaijan' the two versions"),
    "a country by name": (text("Eastville", "Kosovo"), "its text says 'Kosovo', which stands for Kosovo"),
    "a country in lower case": (text("Eastville", "russia"), "says 'russia'"),
    "a country in capitals": (text("Eastville", "SYRIA"), "says 'SYRIA'"),
    "two words": (text("Eastville", "North Korea's east"), "says 'North Korea', which stands for North Korea"),
    "a demonym": (text("civilians", "Ukrainian civilians"), "says 'Ukrainian', which stands for Ukraine"),
    "people": (text("civilians", "Israelis"), "says 'Israelis'"),
    "an irregular demonym": (text("civilians", "French civilians"), "says 'French'"),
    "an abbreviation": (text("civilians", "U.S. civilians"), "says 'U S'"),
    "a compound": (text("civilians", "Iran-backed civilians"), "says 'Iran'"),
    "a fictional country": (text("Eastville", "Obsidian"), "says 'Obsidian'"),
    "a title": (replaced("title", "Bombing", "Turkish bombing"), "its title says 'Turkish'"),
    "a possessive": (text("the armed forces of {aggressor}", "{aggressor}'s army"), "says '{aggressor}''"),
    "a compound placeholder": (text("military experts", "non-{target} experts"), "says '-{target}'"),
    "a word around a year": (text("in {year}", "in mid{year}"), "says 'd{year}'"),
    "an article": (text("from {target}", "from the {target}"), "says 'the {target}'"),
    "an opening": (text("According to", "{target} says, and so do"), "opens a sentence with '{target}'"),
    "no target": (text("{target}", "the area"), "its text has no {target}"),
    "two years": (text("Eastville", "Eastville (founded in {year})"), "names {year} more than once"),
    "too short": (lambda entry: {"text": f"{entry.text[:300].rpartition('.')[0]}. From {{target}}."}, "at least 350"),
    "too long": (lambda entry: {"text": entry.text + " The act is described here once again." * 6}, "at most 650"),
    "too many words": (lambda entry: {"text": entry.text + " It is so." * 20}, "words with"),
    "no full stop": (lambda entry: {"text": entry.text.removesuffix(".")}, "does not end with a full stop"),
    "a question": (text("children, and", "children? And"), "has '?'"),
    "a lower-case sentence": (text("The explosion", "the explosion"), "begins in lower case with 'the'"),
    "a doubled word": (text("According to", "According to to"), "says 'to to'"),
    "two spaces": (text(". The", ".  The"), "two spaces in a row"),
    "a line break": (text(". The", ".\nThe"), "a line break"),
    "a space at the end": (lambda entry: {"text": entry.text + " "}, "white space at its beginning or end"),
    "a space before a comma": (text(", of whom", " , of whom"), "white space before a punctuation mark"),
    "no space after a comma": (text(", of whom", ",of whom"), "no space after a punctuation mark"),
    "an open quotation": (text("one suspected", 'one "suspected'), "not closed"),
    "curly quotation marks": (text("suspected", "“suspected”"), "U+201C, left double quotation mark); write '\"'"),
    "a dash": (text("2,000-pound", "2,000–pound"), "U+2013"),
    "an instrument": (replaced("legal_basis", "Rome Statute", "Rome Statutes"), "did you mean Rome Statute?"),
    "a provision": (replaced("legal_basis", "(iv)", "(xxx)"), "8(2)(b)(xxx) is not in the table of provisions"),
}


@pytest.mark.parametrize("mistake", WRONG_TEMPLATES)
def test_a_mistake_in_a_template_is_found(shipped: Material, mistake: str) -> None:
    change, told = WRONG_TEMPLATES[mistake]
    found = lint(plant(shipped, "templates", TEMPLATE, change))
    assert [line for line in found if told in line], found
    assert all(line.startswith(f"{PLANTED}: template '{TEMPLATE}': ") and "\n" not in line for line in found)


WRONG_ELSEWHERE: dict[str, tuple[str, str, Change, str]] = {
    "a country in a task": ("tasks", "T1", text("these actions", "Russia's actions"), "task 'T1': its text says"),
    "a possessive in a task": (
        "tasks",
        "T2",
        text("{aggressor_possessive}", "{aggressor}'s"),
        "other pairs the two versions differ in more than the names",
    ),
    "an open end": ("tasks", "T1", lambda task: {"text": task.text.removesuffix(".")}, "end the sentence"),
    "a country in a frame": ("frames", "official", replaced("layout", "the following", "the Greek"), "says 'Greek'"),
    "a country in a frame's title": ("frames", "official", replaced("title", "Standard", "Sweden"), "says 'Sweden'"),
    "a pair's country in a frame": (
        "frames",
        "official",
        replaced("layout", "scenario:", "scenario about Peru:"),
        "with pair 'chile-peru' the two versions differ",
    ),
    "a word at a scenario": ("frames", "official", replaced("layout", "\n\n{task}", "-{task}s"), "says '{task}s'"),
    "a space in a frame": ("frames", "official", replaced("layout", ":\n", ": \n"), "at the end of a line"),
    "the possessive of a plural": (
        "countries",
        "philippines",
        lambda country: {"possessive": "the Philippines's"},
        'write "the Philippines\'"',
    ),
    "a typographic possessive": ("countries", "peru", lambda country: {"possessive": "Peru’s"}, 'write "Peru\'s"'),
    "an article too many": (
        "countries",
        "ukraine",
        lambda country: {"in_text": "the Ukraine", "possessive": "the Ukraine's"},
        "write 'Ukraine', as English",
    ),
    "an article too few": (
        "countries",
        "united-states",
        lambda country: {"in_text": "United States", "possessive": "United States'"},
        "write 'the United States', as English",
    ),
    "another form": (
        "countries",
        "peru",
        lambda country: {"in_text": "old Peru", "possessive": "old Peru's"},
        "in_text",
    ),
    "a taken name": (
        "countries",
        "surland",
        lambda country: {"name": "Norway", "in_text": "Norway", "possessive": "Norway's"},
        "is taken by the country at",
    ),
    "one name in another": (
        "pairs",
        "north-korea-south-korea",
        lambda pair: {"b": "korea"},
        "the name 'Korea' is a part of 'North Korea'",
    ),
    "a pair in both orders": ("pairs", "sweden-norway", lambda pair: {"a": "peru", "b": "chile"}, "same two countries"),
    "a pair in another category": ("pairs", "chile-peru", lambda pair: {"category": "tension"}, "9 found"),
    "two frames at once": (
        "conditions",
        "official",
        lambda condition: {"second": "reworded"},
        "exchanges the countries and changes the frame",
    ),
    "the same prompt twice": ("conditions", "null", lambda condition: {"second": "official"}, "are the same prompt"),
    "two years at once": ("conditions", "null", lambda condition: {"second": "year-2023"}, "have different years"),
}


@pytest.mark.parametrize("mistake", WRONG_ELSEWHERE)
def test_a_mistake_elsewhere_is_found(shipped: Material, mistake: str) -> None:
    kind, name, change, told = WRONG_ELSEWHERE[mistake]
    if mistake == "one name in another":
        korea = msgspec.structs.replace(shipped.countries[0].entry, id="korea", name="Korea", in_text="Korea")
        shipped = shipped._replace(countries=[*shipped.countries, At("korea.toml:1", korea)], expected={})
    found = lint(plant(shipped, kind, name, change))
    assert [line for line in found if told in line], found
    if mistake != "a pair in another category":
        assert [line for line in found if line.startswith(f"{PLANTED}: ")], found


def test_ordinary_words_are_no_countries(shipped: Material) -> None:
    """What only looks like a country or a people stays allowed."""
    forms = known_forms([placed.entry for placed in shipped.countries], shipped.terms)
    ordinary = (
        "turkey china chile obsidian lumina us Children Indicated Perish Per Chinook Germane Persons In Spa Swedes"
    )
    assert [word for word in ordinary.split() if word in forms] == ["Swedes"]
    peoples = (
        "Argentinian Armenian Australian Azerbaijani Brazilian Canadian Chilean Chinese Eritrean Ethiopian French "
        "German Greek Indian Iranian Israeli Japanese Kosovar Norwegian Pakistani Palestinian Peruvian Filipino "
        "Portuguese Russian Saudi Serb Serbian Korean Spanish Swedish Syrian Taiwanese Turk Turkish "
        "Ukrainian American Yemeni Meridian"
    )
    assert [word for word in peoples.split() if word not in forms] == []
    assert "New Zealanders" in forms


def test_further_terms_are_looked_for(shipped: Material) -> None:
    planted = plant(shipped, "templates", TEMPLATE, text("Eastville", "Tehran"))
    assert lint(planted) == []
    (line,) = lint(planted._replace(terms={"iran": ["Tehran"]}))
    assert "says 'Tehran', which stands for Iran" in line


TABLE = {
    "Rome Statute": Instrument(("Art.", "Arts."), frozenset({"6", "8 bis(1)", "8(2)(b)(iv)", "25(3)(e)"})),
    "UNCLOS": Instrument(("Art.", "Arts."), frozenset({"17", "24(1)"})),
}
CITED = {
    "Rome Statute, Art. 8(2)(b)(iv)": "",
    "Rome Statute, Arts. 25(3)(e), 6; UNCLOS, Art. 17": "",
    "Rome Statute, Arts. 6": "before 1 provision; write 'Art.'",
    "Rome Statute, Art. 6, 8 bis(1)": "before 2 provisions; write 'Arts.'",
    "Rome Statute, Article 6": "write 'Art.'",
    "Rome Statute, Arts. 6, 6": "cited twice",
    "Rome Statute, Arts. 8(2)(b)(iv)-(v), 6": "'8(2)(b)(iv)-(v)' is no provision",
    "Rome Statute, Arts. 6 and 8 bis(1)": "'6 and 8 bis(1)' is no provision",
    "Rome Statute, Art. 8(2)(b(iv)": "'8(2)(b(iv)' is no provision",
    "Rome Statute, Art. 8(2)(b)(vi)": "did you mean 8(2)(b)(iv)",
    "Rome Statute, Art.6": "is no citation; write it like",
    "Rome Statute Art. 6": "is no citation",
    "Rome Statute, Art. 6;UNCLOS, Art. 17": "is no provision",
    "Rome Statute, Art. 6; Rome Statute, Art. 8 bis(1)": "stands twice",
    "Rome Statute, Art. 6; UNCLOSE, Art. 17": "did you mean UNCLOS?",
    "": "is no citation",
}


@pytest.mark.parametrize("basis", CITED)
def test_citations_are_well_formed_and_listed(basis: str) -> None:
    found = "\n".join(citation_problems(basis, TABLE))
    assert CITED[basis] in found
    assert bool(found) == bool(CITED[basis])


def test_without_a_table_only_the_form_is_checked() -> None:
    assert list(citation_problems("Some Treaty, Art. 4(1)", {})) == []
    assert list(citation_problems("Some Treaty, Arts. 4(1)", {})) != []


def test_a_paraphrase_is_found(shipped: Material) -> None:
    """Three words changed, and the same case told with a quarter of its words changed, under another title."""
    source = next(at.entry for at in shipped.templates if at.entry.id == TEMPLATE)
    light = source.text.replace("explosion", "blast").replace("apartment", "office").replace("destroyed", "levelled")
    heavy = light.replace("with the object of striking", "in order to hit").replace("next to it", "around it")
    heavy = heavy.replace("According to military experts", "Specialists found that").replace("same aim", "same goal")
    for wording, least in ((light, 0.7), (heavy, ALIKE)):
        copy = At(PLANTED, msgspec.structs.replace(source, id="COPY", title="Another", text=wording))
        material = shipped._replace(templates=[*shipped.templates, copy], expected={})
        (line,) = lint(material)
        assert f"template 'COPY': it reads like template '{TEMPLATE}'" in line
        assert max(likeness.share for likeness in likenesses([*shipped.templates, copy])) > least


def test_shipped_templates_are_far_from_alike(shipped: Material) -> None:
    assert max(likeness.share for likeness in likenesses(shipped.templates)) < ALIKE * 2 / 3


def test_a_title_is_used_once(shipped: Material) -> None:
    title = shipped.templates[0].entry.title.upper()
    found = lint(plant(shipped, "templates", TEMPLATE, lambda entry: {"title": title}))
    assert [line for line in found if "has the same title" in line]


def test_counts_are_those_expected(shipped: Material) -> None:
    """A missing entry, a category without a number and a kind that does not exist are told at the number's place."""
    fewer = shipped._replace(templates=shipped.templates[1:])
    missing = shipped.templates[0].entry.category
    assert [line.partition(": ")[2][:50] for line in lint(fewer)] == [
        "counts: 61 entries of kind template expected in 't",
        f"counts: 5 entries of kind template expected in '{missing}"[:50],
    ]
    everywhere = shipped._replace(files=frozenset())
    other = plant(everywhere, "templates", TEMPLATE, lambda entry: {"category": "piracy"})
    assert any("no number for kind template in 'piracy'" in line for line in lint(other))
    wrong = shipped._replace(expected={"planet": {"total": Expected(PLANTED, 9)}})
    assert [line.partition(";")[0] for line in lint(wrong)] == [f"{PLANTED}: counts: unknown kind 'planet'"]
    assert lint(fewer._replace(expected={})) == []


def test_a_file_of_ones_own_changes_no_count(shipped: Material) -> None:
    """Only the files that are named are counted: the pair of version 1 is extra to the 32."""
    assert len(shipped.pairs) == 33
    assert [line for line in lint(shipped) if "counts" in line] == []
    assert any("33 found" in line for line in lint(shipped._replace(files=frozenset())))


def test_an_empty_folder_has_nothing_to_find() -> None:
    assert lint(Material((), (), (), (), (), ())) == []


def test_a_text_that_is_wrong_already_does_not_stop_the_others(shipped: Material) -> None:
    """An unknown placeholder is told by whoever reads the entry; the others are still linted."""
    first = shipped.templates[0].entry.id
    planted = plant(shipped, "templates", first, text("{target}", "{target} and {victim}"))
    assert lint(planted) == []
    found = lint(plant(planted, "frames", "official", replaced("layout", "scenario:", "scenario about Peru:")))
    assert [line for line in found if "with pair 'chile-peru' the two versions differ" in line]


def write(folder: Path, name: str, content: str) -> None:
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text(content, "utf-8")


def test_provisions_are_read_with_ranges_and_mistakes(tmp_path: Path) -> None:
    head = 'article_word = ["Art.", "Arts."]\n'
    write(
        tmp_path,
        "law/provisions.toml",
        f'[[instrument]]\nid = "a"\nname = "A"\n{head}provisions = ["1-3", "8 bis(2)(a)", "25(3 bis)"]\n'
        f'[[instrument]]\nid = "b"\nname = "A"\n{head}provisions = ["3-1", "7("]\n'
        f'[[instrument]]\nid = "c"\nname = "C"\n{head}articles = []\n',
    )
    problems: list[str] = []
    found = read_provisions(tmp_path, problems)
    path = tmp_path / "law" / "provisions.toml"
    assert [problem.removeprefix(f"{path}:") for problem in problems] == [
        "11: instrument 'c': Object contains unknown field `articles`",
        "6: instrument 'A': stands in the table twice; make one entry of the two",
        "6: instrument 'A': '3-1' is no provision; write it like 8(2)(b)(iv) or 1-64",
        "6: instrument 'A': '7(' is no provision; write it like 8(2)(b)(iv) or 1-64",
    ]
    assert set(found) == {"A"}
    write(tmp_path, "law/provisions.toml", path.read_text("utf-8").partition('[[instrument]]\nid = "b"')[0])
    assert read_provisions(tmp_path, [])["A"].provisions == {"1", "2", "3", "8 bis(2)(a)", "25(3 bis)"}


def test_counts_are_read_with_their_lines(tmp_path: Path) -> None:
    problems: list[str] = []
    assert (read_counts(tmp_path, problems), read_provisions(tmp_path, problems)) == (Counts(), {})
    write(
        tmp_path, "counts.toml", "files = ['mine']\n[counts.task]\ntotal = 4\n\n[counts.pair]\nactive = 8\ntotal = 9\n"
    )
    path = tmp_path / "counts.toml"
    numbers = {
        "task": {"total": Expected(f"{path}:3", 4)},
        "pair": {"active": Expected(f"{path}:6", 8), "total": Expected(f"{path}:7", 9)},
    }
    assert read_counts(tmp_path, problems) == Counts(numbers, frozenset({"mine"}))
    assert problems == []
    for wrong in ("[counts.pair]\nactive = 'eight'\n", "[number]\n", "[counts"):
        write(tmp_path, "counts.toml", wrong)
        assert read_counts(tmp_path, problems) == Counts()
    assert [problem.startswith(f"{path}: ") for problem in problems] == [True] * 3


def test_material_takes_entries_as_they_were_read(shipped: Material) -> None:
    only = Material.of({Template: shipped.templates}, {}, {})
    assert [len(kind) for kind in only[:6]] == [0, 0, len(shipped.templates), 0, 0, 0]
    assert lint(only) == []
