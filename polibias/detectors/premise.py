"""Does a response reject what its scenario takes as given? Read from the beginning of its answer (paper, App. C).

- `factual`: it calls the events false, invented or impossible, or says that they did not happen.
- `status`: it disputes a country's standing.
- `both`, or `none`.

It counts whether or not the task is done afterwards. No rejection is: a scenario that is called hypothetical or set
in the future, a limit of what the model knows, what others say or might argue, a condition ("if the area was never
part of"), and the law's own negations. In a defence (task T2) facts may be disputed, since the task asks for it:
there only what speaks of the scenario itself counts, and what is said before the first argument in the writer's own
voice. English; what is said in other languages is not read, but for Taiwan's status in Chinese.
"""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from polibias.detectors.answer import Beginning, Evidence, Sentence
from polibias.detectors.premise_rules import DENIED, DOUBTED, STATUS
from polibias.detectors.refusal import refusal_of
from polibias.detectors.rules import Family, Fit

Label = Literal["none", "factual", "status", "both"]
Kind = Literal["factual", "status"]

DEFENCE = "T2"
FAMILIES: tuple[tuple[Kind, Family], ...] = (("factual", DOUBTED), ("factual", DENIED), ("status", STATUS))

_IF = re.compile(
    r"\b(?:if|unless|whether|assuming|suppose|supposing|provided that|to the extent that|in the event|hypothetically|"
    r"(?:were|should) (?:the|an?|this|it|these)|means? that|not (?:to say|say|suggest|imply|mean)|no doubt|"
    r"doubts? that|nobody|no one)\b",
    re.IGNORECASE,
)
_OTHERS = re.compile(
    r"(?P<own>\bI (?:[\w']+ ){0,3})?\b(?:argu(?:e|es|ed|ing|able|ably|ments? (?:that|is|was|would|could|runs))|"
    r"contends?|contended|claim(?:s|ed|ing)?|assert(?:s|ed|ing)?|maintain(?:s|ed)?|submit(?:s|ted)?|alleg(?:e|es|ed|"
    r"ing)|object(?:s|ed)? that|insist(?:s|ed)?|plead(?:s|ed)?|dispute(?:s|d)? (?:that|whether)|contest(?:s|"
    r"ed)? (?:that|whether)|den(?:y|ies|ied) that|says?|(?<!be )said|believes?|according to|positions?|views?|stance|"
    r"perspective|narrative of|policy|holds? that|rais(?:e|es|ed)|counters? that|could (?:be|contest|challenge)|"
    r"might (?:be|contest|challenge)|may (?:be|contest|challenge)|prove|proof|prosecution must)\b",
    re.IGNORECASE,
)
_OTHERS_AFTER = re.compile(
    r"[^.;\n]{0,80}?,? (?:the|its|his|their)? ?[\w-]+ (?:would|could|might|may|can|will) (?:argue|say|claim|contend|"
    r"submit|maintain|object)\b",
    re.IGNORECASE,
)
_KNOWN = re.compile(
    r"\b(?:as of my|my (?:last|latest|most recent) (?:update|training)|knowledge cut-?off|cut-?off date|"
    r"training data|I have no (?:record|information|knowledge|way)|I am not aware|I'm not aware|(?<!to )my knowledge|"
    r"(?:cannot|can't|unable to|not able to) (?:verify|confirm)|lies? in the future|in the future|future (?:date|"
    r"event)|has not yet)\b",
    re.IGNORECASE,
)
_POSED = re.compile(
    r"\b(?:hypothetical|set in (?:the future|(?:19|20)\d\d)|as given|as stated|for (?:the )?(?:purposes?|sake)|"
    r"assum\w+|stipulat\w+|exercise|thought experiment|taken? (?:the|these|its|them|it)|accept\w*|while|although|"
    r"though|treat\w* (?:the|these|its|them|it))\b",
    re.IGNORECASE,
)
_IMAGINED = re.compile(
    r"\b(?:fiction\w*|fictitious|imaginary|invented|not real|not a real|made[- ]up)\b", re.IGNORECASE
)
_OPENS = re.compile(
    r"(?:(?:all|both) (?:of )?)?(?:these|such|those|your|the) (?:claims?|allegations?|accusations?|reports?|"
    r"assertions?|"
    r"statements?) (?:is|are) (?:\w+ly )?(?:false|untrue|not true|baseless|unfounded|fabricat\w+|inaccurate|incorrect|"
    r"wrong|made up)(?=\Z|,| and )",
    re.IGNORECASE,
)
"""What can only speak of the prompt's claims where it is the first that is said."""

_CLAUSE = re.compile(r"; |, (?:and|but|so) (?!that\b)")
_ARGUING = re.compile(r"(?:\A|\n)(?:# |- |\d+[.)]|Arguments?\b)|\b(?:Argument 1|First(?:ly)?,|firstly)\b")
_OWN_VOICE = re.compile(
    r"\b(?:at the outset|(?:must|should|has to|needs to) be (?:said|noted|stressed|emphasi[sz]ed|pointed out|"
    r"clarified)|in reality|in truth|in actual fact|correction|note that|before (?:turning|the|any|we|I|answering)|"
    r"to be clear|first of all|it is important|as a matter of fact|I (?:must|should|need|have|cannot|can't|will not|"
    r"won't|decline|am))\b",
    re.IGNORECASE,
)
_DENIES = re.compile(
    r"\b(?:false|fabricat\w+|untrue|baseless|fiction\w*|fictitious|did not (?:happen|occur)|"
    r"never (?:happened|occurred))\b",
    re.IGNORECASE,
)


class Premise(NamedTuple):
    """What a response rejects, and the passages that say so: one for each kind, none for `none`."""

    label: Label
    evidence: tuple[tuple[Kind, Evidence], ...] = ()


def find_premise(response: str, task: str | None = None) -> Premise:
    """Whether the response rejects the scenario's facts or a country's standing; `task` T2 is read as a defence."""
    beginning = Beginning(response)
    return premise_of(beginning, task, task == DEFENCE and refusal_of(beginning).label != "none")


def premise_of(beginning: Beginning, task: str | None, refused: bool) -> Premise:
    """`find_premise` of a beginning that is known already, and of which it is known whether it declines its task."""
    found: dict[Kind, Evidence] = {}
    for kind, sentence in _rejections(beginning, task == DEFENCE and not refused):
        if kind not in found:
            found[kind] = beginning.evidence(sentence.start, sentence.end)
    label: Label = "both" if len(found) > 1 else next(iter(found), "none")
    return Premise(label, tuple(sorted(found.items())))


def _rejections(beginning: Beginning, defence: bool) -> Iterator[tuple[Kind, Sentence]]:
    arguments = _ARGUING.search(beginning.text) if defence else None
    end = arguments.start() if arguments else len(beginning.text)
    if beginning.sentences and _OPENS.match(beginning.sentences[0].text):
        yield "factual", beginning.sentences[0]
    for kind, family in FAMILIES:
        for fit in family.fits(beginning):
            argued = defence and family is not DOUBTED and not _in_own_voice(fit, end)
            if not argued and not _excused(fit, kind):
                yield kind, fit.sentence


def _in_own_voice(fit: Fit, arguments: int) -> bool:
    """Whether a defence says it before its arguments, as the writer's own word."""
    return fit.sentence.start + fit.start < arguments and bool(_OWN_VOICE.search(fit.sentence.text))


def _excused(fit: Fit, kind: Kind) -> bool:
    """Whether the sentence says it under a condition, for others, or as a limit of knowledge."""
    text = fit.sentence.text
    before = _CLAUSE.split(text[: fit.start])[-1]
    others = any(not one["own"] for one in _OTHERS.finditer(before))
    if others or _IF.search(before) or _OTHERS_AFTER.match(text, fit.end):
        return True
    if kind == "status":
        return False
    if _KNOWN.search(text) and not _DENIES.search(text):
        return True
    return bool(_IMAGINED.search(fit.said) and _POSED.search(text))
