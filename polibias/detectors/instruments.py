"""Names of treaties in running text. Those of the field have one name each; all others are `OTHER`."""

import re
from collections.abc import Iterator
from typing import NamedTuple

ROME_STATUTE = "Rome Statute"
OTHER = "another treaty"
CONVENTION, PROTOCOL = "the Convention", "the Protocol"
"""Said without a name: whichever was named last."""

_NUMERALS = {
    **dict.fromkeys(("i", "1", "first", "1st"), "I"),
    **dict.fromkeys(("ii", "2", "second", "2nd"), "II"),
    **dict.fromkeys(("iii", "3", "third", "3rd"), "III"),
    **dict.fromkeys(("iv", "4", "fourth", "4th"), "IV"),
}
_ORDINAL = r"First|Second|Third|Fourth|FIRST|SECOND|THIRD|FOURTH|1st|2nd|3rd|4th"
_NUMERAL = r"(?:No\.? ?)?\(?(?:IV|I{1,3}|[1-4])\)?(?!\w)"
_OF_GENEVA = (
    r"(?:(?: to the| of the)? (?:(?:1949|four) )?Geneva Conventions?(?: of (?:12 August )?1949)?| of (?:8 June )?1977)?"
)
_START = re.compile(r"[A-Z1-4](?<!\w.)(?:(?<![1-4])|(?=[snrt]))")
_NAME = re.compile(
    r"(?:"
    r"(?P<other>Optional Protocol|[A-Z][a-z]+ Protocol(?! I)(?<!Additional Protocol)|"
    r"Protocol (?:I{1,3}|IV|V|[1-5]) (?:to|on|of) (?:the )?(?:Convention on|CCW|Certain|CMW)[\w ]{0,40}|"
    r"(?:UN|United Nations) Charter|UNC\b|Charter(?: of the United Nations)?|"
    r"ICCPR|ICESCR|CAT\b|CRC\b|CEDAW|ECHR|ACHR|VCLT|ARSIWA|ILC|SUA\b|CCW|CWC|BWC|ENMOD|"
    r"(?:Genocide|Torture|Hague|Vienna|Refugee|Hostages|European|American|Ottawa|Oslo|Chemical Weapons|"
    r"Biological Weapons|Montreal|Chicago|SUA|Apartheid|Slavery|Montreux|Tokyo|Enforced Disappearance) "
    r"(?:Conventions?|Regulations|Rules|Protocol)(?: [IVX]+\b)?|"
    r"Convention (?:on|against|for|relating|concerning)(?! the Law of the Sea)(?: [\w']+){1,12}|"
    r"(?:International )?Covenant(?: on [\w, ]{0,60})?|(?:Universal )?Declaration(?: of [\w, ]{0,60})?|"
    r"Hague (?:IV|Regulations)|(?:ICTY|ICTR|ICJ|SCSL|IMT|Nuremberg|London) (?:Statute|Charter)|"
    r"Statute of the (?:ICTY|ICTR|ICJ|International Court of Justice|International (?:Criminal )?Tribunal[\w ]{0,40})|"
    r"(?:Draft )?Articles on (?:the )?(?:State )?Responsibility[\w ]{0,60}|Constitution|"
    r"(?:San Remo|Tallinn) Manual|Elements of Crimes|Rules of Procedure)"
    r"|(?P<rome>Rome Statute(?: of the (?:International Criminal Court|ICC))?|ROME STATUTE|ICC Statute|ICCSt\b|"
    r"Statute of (?:the (?:International Criminal Court|ICC)|Rome)|Statute\b(?! of (?:limitation|the)))"
    r"|(?P<sea>UNCLOS|LOSC\b|(?:(?:UN|United Nations) )?Convention on the Law of the Sea|Law of the Sea Convention)"
    rf"|(?P<protocol>(?:(?:{_ORDINAL}) )?(?:Additional )?Protocol {_NUMERAL}{_OF_GENEVA}|"
    rf"(?:{_ORDINAL}) (?:Additional )?Protocol{_OF_GENEVA}|AP[ -]?(?:I{{1,3}}|[1-3])\b|"
    rf"Protocol Additional to the Geneva Conventions[^()\n]{{0,120}}\((?:Additional )?Protocol {_NUMERAL}\)?)"
    rf"|(?P<geneva>(?:{_ORDINAL}) Geneva Convention(?: of (?:12 August )?1949)?|"
    rf"Geneva Convention {_NUMERAL}(?: of (?:12 August )?1949)?|"
    r"GC[ -]?\(?(?:IV|I{1,3}|[1-4])\b\)?|Convention \(?(?:IV|I{1,3})\b\)?(?: relative to[\w ]{0,80})?)"
    r"|(?P<all>Geneva Conventions(?: of (?:12 August )?1949)?|GCs\b)"
    r"|(?P<convention>Conventions?\b|Geneva Convention\b)|(?P<bare>(?:Additional )?Protocol\b)"
    r")"
)
_WHICH = re.compile(
    rf"\b(?:{_ORDINAL})\b|(?<![A-Za-z])(?:IV|I{{1,3}}|[1-4])(?!\w)|(?<=AP)I{{1,3}}|(?<=GC)(?:IV|I{{1,3}})"
)
_SINGLE = {
    "other": OTHER,
    "rome": ROME_STATUTE,
    "sea": "UNCLOS",
    "all": "Geneva Conventions",
    "convention": CONVENTION,
    "bare": PROTOCOL,
}


class Mention(NamedTuple):
    """An instrument is named from `start` to `end`."""

    start: int
    end: int
    instrument: str


def mentions(text: str) -> list[Mention]:
    """Every instrument that the text names, in order."""
    return [Mention(*found.span(), _instrument(found)) for found in _names(text)]


def _names(text: str) -> Iterator[re.Match[str]]:
    """Looks only where a word starts with a capital, or a digit, of which there are few."""
    end = 0
    for start in _START.finditer(text):
        found = _NAME.match(text, start.start()) if start.start() >= end else None
        if found:
            end = found.end()
            yield found


def _instrument(found: re.Match[str]) -> str:
    kind = found.lastgroup or ""
    if kind in _SINGLE:
        return _SINGLE[kind]
    which = _WHICH.search(found[0])
    number = _NUMERALS[which[0].lower()] if which else ""
    if kind == "protocol":
        return f"Additional Protocol {number}" if number in ("I", "II", "III") else OTHER
    return f"Geneva Convention {number}"
