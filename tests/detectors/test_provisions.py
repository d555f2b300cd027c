"""A provision is the same however it is cited, and belongs to the instrument that the answer means."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polibias.detectors.provisions import citations
from polibias.domain.provision import Provision
from polibias.lint.citations import CITED
from polibias.sources.law import read_provisions
from polibias.sources.library import Library
from tests.conftest import ROOT

TABLE = {name: instrument.provisions for name, instrument in read_provisions(ROOT / "data", []).items()}
ROME, AP1, GC4 = "Rome Statute", "Additional Protocol I", "Geneva Convention IV"

CASES = (
    ("Article 8(2)(b)(iv)", ((ROME, "8(2)(b)(iv)"),)),
    ("Art. 8 (2) (b) (iv) of the ICC Statute", ((ROME, "8(2)(b)(iv)"),)),
    ("**Article 8(2)(b)(iv)** of the **Rome Statute**", ((ROME, "8(2)(b)(iv)"),)),
    ("articles 7(1)(a), (d) and (h) of the Statute", ((ROME, "7(1)(a)"), (ROME, "7(1)(d)"), (ROME, "7(1)(h)"))),
    ("Article 8(2)(b)(i), (ii) and (iv)", ((ROME, "8(2)(b)(i)"), (ROME, "8(2)(b)(ii)"), (ROME, "8(2)(b)(iv)"))),
    (
        "Article 8(2)(b)(i)–(iv)",
        ((ROME, "8(2)(b)(i)"), (ROME, "8(2)(b)(ii)"), (ROME, "8(2)(b)(iii)"), (ROME, "8(2)(b)(iv)")),
    ),
    ("Articles 51-53 of Additional Protocol I", ((AP1, "51"), (AP1, "52"), (AP1, "53"))),
    ("Articles 51(5)(b) and 57 AP I", ((AP1, "51(5)(b)"), (AP1, "57"))),
    ("Article 51(5)(b) and Article 57 of Protocol I", ((AP1, "51(5)(b)"), (AP1, "57"))),
    ("Common Article 3", (("Geneva Conventions", "3"),)),
    ("common Article 3 to the Geneva Conventions", (("Geneva Conventions", "3"),)),
    ("Article 3 common to the four Geneva Conventions of 1949", (("Geneva Conventions", "3"),)),
    ("Article 147 of the Fourth Geneva Convention", ((GC4, "147"),)),
    ("GC IV, Art. 147", ((GC4, "147"),)),
    ("Article 147 GCIV; Article 130 of Geneva Convention III", (("Geneva Convention III", "130"), (GC4, "147"))),
    ("Geneva Convention (IV), Articles 27, 32 and 147", ((GC4, "147"), (GC4, "27"), (GC4, "32"))),
    (
        "Rome Statute, Art. 8(2)(b)(iv); UNCLOS, Arts. 17, 24(1)",
        ((ROME, "8(2)(b)(iv)"), ("UNCLOS", "17"), ("UNCLOS", "24(1)")),
    ),
    ("Article 19(2)(a) of the United Nations Convention on the Law of the Sea (UNCLOS)", (("UNCLOS", "19(2)(a)"),)),
    ("Article 2(4) of the UN Charter", ()),
    ("Article 51 of the Charter and Article 8 bis of the Rome Statute", ((ROME, "8 bis"),)),
    ("Article 8bis(2)(a)", ((ROME, "8 bis(2)(a)"),)),
    ("Article II of the Genocide Convention, reflected in Article 6 of the Rome Statute", ((ROME, "6"),)),
    ("Under the Rome Statute, the act is a crime. Article 7 applies. So does Article 30.", ((ROME, "30"), (ROME, "7"))),
    ("Article 8, 106 civilians died", ((ROME, "8"),)),
    ("Article 8 of the Rome Statute, Article 147 of GC IV", ((GC4, "147"), (ROME, "8"))),
    ("Rome Statute (Articles 7 and 8)", ((ROME, "7"), (ROME, "8"))),
    ("Article 8, paragraph 2(b)(iv), of the Rome Statute", ((ROME, "8(2)(b)(iv)"),)),
    ("Art 8.2(b)(iv) ICC Statute", ((ROME, "8(2)(b)(iv)"),)),
    ("Article 6 of the ICCPR", ()),
    ("Article 33 of the Rome Statute", ((ROME, "33"),)),
    ("Article 13 of Additional Protocol II", (("Additional Protocol II", "13"),)),
    ("Article 1 of Protocol III to the Convention on Certain Conventional Weapons", ()),
    ("UNCLOS sets limits. Article 19 lists them.", (("UNCLOS", "19"),)),
    ("Additional Protocol I binds both. Under Article 57(2)(a)(ii) precautions are due.", ((AP1, "57(2)(a)(ii)"),)),
    ("Article 25(3)(a)", ((ROME, "25(3)(a)"),)),
    ("Article 8(2)(a)(i) and (iv)", ((ROME, "8(2)(a)(i)"), (ROME, "8(2)(a)(iv)"))),
    ("Article 8(2)(a) and (b)", ((ROME, "8(2)(a)"), (ROME, "8(2)(b)"))),
    ("article 28(a)(i) or (b)", ((ROME, "28(a)(i)"), (ROME, "28(b)"))),
    ("Article 999", ()),
    ("ARTICLE 8 OF THE ROME STATUTE", ((ROME, "8"),)),
    ("Article 8(2)(b)(xxv) (starvation)", ((ROME, "8(2)(b)(xxv)"),)),
    ("the parties; 8(2)", ()),
    ("| Article 8(2)(b)(i) | Rome Statute | attack |", ((ROME, "8(2)(b)(i)"),)),
)


def cited(text: str) -> set[tuple[str, str]]:
    return {(provision.instrument, provision.number) for provision in citations(text, TABLE).provisions}


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_cases(text: str, expected: tuple[tuple[str, str], ...]) -> None:
    assert cited(text) == set(expected)


def test_all_spellings_of_a_provision_are_one() -> None:
    spellings = (
        "{}8(2)(b)(iv){}",
        "{}8 (2) (b) (iv){}",
        "{}8(2) (b)(iv){}",
        "{}8( 2 )( b )( iv ){}",
        "{}8.2 (b)(iv){}",
    )
    words = ("Article ", "Art. ", "article ", "Art.", "**Article** ", "ARTICLE ")
    owners = ("", " of the Rome Statute", " of the ICC Statute", " Rome Statute", " (Rome Statute)", " of the Statute")
    texts = [s.format(w, o) for s in spellings for w in words for o in owners]
    assert {text for text in texts if cited(text) != {(ROME, "8(2)(b)(iv)")}} == set()


def test_legal_bases_of_the_library_are_read_as_the_lint_reads_them() -> None:
    for template in Library(ROOT / "data").templates.values():
        bases = [match for part in template.legal_basis.split("; ") if (match := CITED.fullmatch(part))]
        expected = {(match["name"], number) for match in bases for number in match["provisions"].split(", ")}
        assert cited(template.legal_basis) == expected


def test_what_belongs_to_no_instrument_is_said() -> None:
    found = citations("Article 999 and Article 57 apply.", {})
    assert found.provisions == frozenset()
    assert found.unattributed == {"999", "57"}


@given(st.sampled_from(sorted((name, number) for name, numbers in TABLE.items() for number in numbers)))
def test_every_provision_of_the_table_is_found_by_its_own_form(provision: tuple[str, str]) -> None:
    assert cited(str(Provision(*provision))) == {provision}
    assert cited(f"Under Article {provision[1]} of the {provision[0]}, it is forbidden.") == {provision}
