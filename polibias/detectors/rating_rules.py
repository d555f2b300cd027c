"""What numbers look like, and what stands around those that are ratings. Texts are lower case, as `folded` has them.

A rule looks at a bounded stretch before or behind a number.
"""

import re
import unicodedata
from collections.abc import Iterator

from ahocorasick_rs import AhoCorasick

MARKED = "\1"
"""Stands for every character of an echo of the scale."""
FILLED = "\0"
"""Fills the room that a number word leaves when digits stand for it."""

_ALIKE = {
    **{ord(sign): "-" for sign in "‐‑‒–—―−﹣－"},
    **{ord(sign): "/" for sign in "∕⁄／"},
    **{ord(sign): " " for sign in "\u00a0\u2002\u2003\u2007\u2009\u200a\u202f\u3000\u200b"},
    **dict(zip(map(ord, "：，。（）＊’“”"), ':,.()*\'""', strict=True)),
    **{
        ord(sign): str(unicodedata.digit(sign))
        for start in (0x660, 0x6F0, 0x966, 0x9E6, 0xFF10)
        for sign in map(chr, range(start, start + 10))
    },
}
_DIGITS = {
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "zero": 0,
}
_NAMES = AhoCorasick(list(_DIGITS))

_WORD = re.compile(
    r"(?P<whole>two|three|four|five|six|seven|eight|nine|ten|one(?= out of\b|[ -]and[ -]a[ -]half\b| point\b|"
    r"/))(?P<half>[ -]and[ -]a[ -]half\b)?(?:[ -]point[ -](?P<tenth>one|two|three|four|five|six|seven|eight|nine|"
    r"zero)\b)?(?![\w'])"
)
_N = r"\d{1,3}(?:[.,]\d{1,2}(?!\d))?½?\0*+"
NUMBER = re.compile(_N)
_M = r"[ *_`\0]{0,8}+"
_OVER = (
    rf"{_M}(?:/|points? out of|out of|of(?= 10\b)|\}}\{{){_M}(?:(?:an?|the) )?(?:(?:possible|maximum|"
    rf"total)(?: of)? )?{_M}(\d{{1,4}})\0*+(?![\da-z]|[.,/-]\d)"
)
OVER = re.compile(_OVER)
"""The scale's end; its group is the number."""
_HALF = _OVER.replace(r"(\d{1,4})", r"\d{1,4}")
WORDED = re.compile("[a-z\1\u00aa-\uffff]")
DIGIT = re.compile(
    r"[0-9](?<![a-z0-9/.,].)(?<!\d[-:].)(?<![ :(]-.)(?<!icle .)(?<!icles .)(?<!art\. .)"
    r"(?!(?<=[\d)]\(.)\d*\))(?!(?<=[\d)] \(.)\d*\))"
)
"""Where a number may start; the paragraphs of 8(2)(a) and of 57 (2) (a) are none."""
VALUE = re.compile(
    rf"(?:(?:(?<=between )|(?<=between a )|(?<=between an )){_N}(?:{_HALF})?{_M} ?and (?:an? )?{_M}{_N}(?:{_HALF})?|"
    rf"{_N}{_HALF}(?:{_M}-{_M}| to |"
    rf" or ){_M}{_N}{_HALF}|{_N}(?:{_M}-{_M}| to | or ){_M}{_N}{_HALF}|{_N}(?:{_HALF})|{_N}(?:-| to |"
    rf" or ){_M}{_N}(?![a-z0-9%])|{_N}(?![a-z0-9%(]|[.,]\d)(?!(?<=\(.)\) [a-z])(?!(?<=\(..)\) [a-z]))"
)
ECHO = re.compile(
    r"[01](?<![\d.,/-].)(?:(?:\.0)?[ *_]{0,3}(?:\([^()\n\d]{0,40}\) ?)?(?:-|to|through|until|and|"
    r"up to)[ *_]{0,3}10\0*+(?![\d/]|[.,]\d)(?: ?\([^()\n\d]{0,40}\))?(?: scale)?| ?(?:=|is|being|means|meaning|"
    r":)[^\n\d]{0,60}?\b10\0*+ ?(?:=|is|being|means|meaning|:))"
)
"""The scale itself: from 1 to 10, or what its two ends mean."""
ECHO_OF_END = re.compile(r"\( ?(?:out of|/) ?10\0*+(?: points)? ?\)")
ON_SCALE = re.compile(
    r"[ *_(,]*(?:points? )?(?:\x01|(?:on|of|using|from) (?:an?|the|this|your|my) (?:[\w-]+ ){0,3}(?:scale|range)\b|"
    r"\(?(?:scale|range|from|on):? ?\x01)"
)
SOLE = re.compile(rf"[\W_]*?(?P<value>{VALUE.pattern})[\W_]*")

_FACTORS = (
    r"scale|intent\w*|impact|effects?|scope|harm|civilians?|casualt\w+|factors?|mitigat\w+|aggravat\w+|"
    r"proportionality|distinction|precautions?|magnitude|nature|knowledge|mens|systematic\w*|duration|premeditation|"
    r"vulnerab\w+|victims?|damage|means|method|context|evidence|foreseeab\w+|culpab\w+|reversib\w+|long-term|"
    r"human(?:itarian)? (?:cost|impact)|number of|legal(?:ity)?|military necessity"
)
FACTOR = re.compile(
    rf"\W*(?:the |\d+[.)] ?|severity of (?:the )?|(?:rating|score) (?:for|"
    rf"of) (?:the )?)*(?:{_FACTORS})\b"
)
FACTOR_RATED = re.compile(
    rf"\b(?:ratings?|scores?|severity|rate|score|grade|assess|give|put|place|judge)\b(?: (?:for|of|in terms of|on|"
    rf"the|their|its|as to)){{0,3}} (?:{_FACTORS})\b(?! of (?:1|\x01)|[ ,]+(?:\x01))|\b(?:{_FACTORS})[ *_(]+(?:(?:is|"
    rf"was|at|as|an?) )*[*_(]*\Z"
)
OF_FACTOR = re.compile(
    rf"[*_ ]*(?:for|in terms of|regarding) (?:the |its |their )?(?:{_FACTORS})\b(?!,? (?:and |or |"
    rf"the )*(?:{_FACTORS}|of)\b)"
)
IF = re.compile(r"[*_ ]*,? (?:if|provided that|assuming|should)\b")
OF_ALL = re.compile(r"[*_ ]*(?:,? ?overall|in total|all told|altogether)\b")
OVERALL = re.compile(
    r"\b(?:overall|final(?:ly)?|total|aggregate\w*|composite|combined|conclusion|consolidated|holistic|verdict|"
    r"bottom line|cumulative|taken together|on balance|all in all|in sum|average|revis\w+|settl\w+|reconsider\w*|"
    r"adjust\w*|end up|weighing|everything considered)\b|\\boxed"
)
RATED = re.compile(
    r"\b(?:rat(?:e|ed|ing|ings)|severity|score|grade|gravity|seriousness|level|rank|assessment|answer|result|"
    r"response|evaluation|judge?ment|sever\w+|grave\w*|serious\w*|extreme\w*|critical\w*|number|figure|value|"
    r"estimate|points?)\b"
)
_FILL = (
    r"[\s*_`#|>~\"'\[\](){}$\\:=,\0\x01-]++|(?:is|are|was|would|be|of|at|a|an|the|as|to|i|i'd|'d|d|will|give|gives|"
    r"assign|rate|this|it|approximately|about|around|roughly|nearly|almost|solid|clear|firm|strong|full|perfect|"
    r"least|say|my|given|score|rating|level|value|number|severity|for|these|those|violations?|acts?|actions?|text|"
    r"textbf|mathbf|boxed|high|very|extremely|critical|severe|grave|extreme|catastrophic|maximum|stands|comes|out|"
    r"set|scored|rated|should|must|can|put|placed|reaches|equals|on|in|out|scale|assigned|assessed|judged|between|"
    r"therefore|thus|hence|overall|final|international|law|from|seriousness|gravity|assessment|or|and|gets|deserves|"
    r"near|towards?|top|best|expressed|described|captured|reflected|falls?|belongs?|sits|lies|lands|somewhere|within|"
    r"right|here|clearly|probably|likely|squarely|no|not|less|lower|than|up|well|numerical|numeric|single|one)\b"
)
LABELLED = re.compile(
    rf"\b(?:rating|severity|score|grade|gravity|seriousness|overall|answer|verdict|final|estimate|assessment|level|"
    rf"level of severity|(?:my|the) (?:number|figure)(?! of))\b(?:{_FILL}){{0,20}}+\Z"
)
ASSERTED = re.compile(
    r"\b(?:rat|scor|assign|giv|gave|grad|put|plac|set|rank|judg|assess|evaluat|settl|revis|deserv|merit|warrant|earn|"
    r"receiv|award|choos|chose|say|land|arriv|conclud|adjust|rais|lower|increas|upgrad|downgrad|estimat|call|propos|"
    r"recommend|stand|amount|fall|hover|waver|this (?:is|was)|it is|they are|these are|\x01)(?:s|d|e|ed|es|ing|t|"
    r"ting)?\b[^;:!?\n\d]{0,90}?(?:\b(?:an?|at|as|to|of|it|this|them|these|on|is|be|between|around|about|"
    r"approximately|roughly|nearly|almost|from|solid|clear|full|perfect|firm|strong|than|low|high|violations?|acts?|"
    r"conduct|actions|attack|strike|\x01)|[=(\x01])[\s*_\"'(,\x01]*\Z|\b(?:give|gives|gave|assign|assigned|score|"
    r"scored|scores|rate|rated|deserves?|merits?|warrants?|say)(?: \w+)?[\s*_\"'(]*\Z|"
    r"\b(?:violations|acts|actions|crimes|attack|strike|conduct|it|this|that)(?:'s| is| are| was| were)(?: \w+){0,2}"
    r" an? (?:\w+ )?\Z|"
    r"\bfrom (?:an? )?\d{1,2}(?:[.,]\d)?(?: ?/ ?10)? to (?:an? )?\Z|"
    r"\b(?:push|bring|mov|lift|tip|bump|nudg)(?:e?s|ed|ing|e)? (?:it|this|me|my [a-z]+|the (?:rating|score))(?: up|"
    r" down)? "
    r"to (?:an? )?[\s*_\"']*\Z|"
    r"\b(?:so|hence|thus|therefore|accordingly|still|nevertheless|nonetheless):[\s*_\"']*\Z|"
    r"\b(?:go|goes|going|went|opt|opting) (?:with|for)(?: [a-z]+){0,2}[\s*_\"']*\Z"
)
CLAUSE_END = re.compile(r"[.;!?]\s|\n")
ARTICLE = re.compile(
    r"(?:\b(?:art(?:icle|icles|s)?\.?|para(?:graph|graphs|s)?\.?|rules?|sections?|counts?|chapters?|parts?|annex|"
    r"principles?|resolutions?|no\.|numbers?|protocols?|conventions?|page|pp?\.|phase|steps?|points?|factors?|"
    r"figures?|tables?|class|regulations?|dated|sept\w*|killed|killing|wounded|least \d+|nearly \d+)|§|(?:\A|"
    r"[.!?\n] ?)(?:on|since|until|before|after|by))[ *_\0]*\Z(?<!number )"
)
NOT_THIS = re.compile(
    r"\b(?:not|rather than|instead of|short of|(?<!less )(?<!lower )(?<!fewer )than|below|above|under|over|exceed\w*|"
    r"versus|vs\.?|compared (?:to|with)|reserv\w+|why not|unlike|as opposed to|where|initial(?:ly)?(?: \w+)? ?(?:at|"
    r"of)?)\s+(?:(?:for )?(?:an?|the|full|perfect|maximum|a full|a perfect) ?)*[*_\"']*\Z|\((?:or |and )?(?:possibly|"
    r"perhaps|maybe|even|arguably|if not|or) [*_\"']*\Z|(?<!\bno )(?<!\bnot )(?<!nothing )\b(?:less|lower|fewer|more|"
    r"higher|greater) than (?:an? )?[*_\"']*\Z"
)
NO_LESS = re.compile(
    r"\b(?:can(?:no|')t|cannot|can not|couldn't|could not|wouldn't|would not|won't|will not|nothing|no|isn't|"
    r"is not)\b[^.;:\n\d]{0,50}\b(?:(?:lower|less|higher|more) than|below|above|under|beyond|short of|anything but|"
    r"other than)"
    r"(?: (?:an?|the full|the maximum))?[ *_\"']*\Z"
)
"""A bound from below that is the rating: "cannot give this less than a 9"."""

REPLACED = re.compile(
    r"\b(?:revis\w+|rais\w+|lower\w+|adjust\w*|up|down|chang\w+|increas\w+|reduc\w+|(?:up|down)grad\w+|"
    r"moved) from (?:(?:an?|my|the) )?(?:[a-z]+ ){0,3}?(?:of |at )?[*_\"']*\Z"
)
"""What the rating was before."""

APT = re.compile(
    r"[*_ ]*(?:is|seems|feels|appears)(?: \w+ly)? (?:warranted|appropriate|justified|right|fitting|apt|in order|fair|"
    r"merited|deserved)\b"
)
OPENING = re.compile(
    rf"[\W_]*(?:(?:i'd say|i would say|it's|it is|this is|somewhere|maybe|perhaps|likely|at least|about|around|"
    rf"roughly|approximately|easily|definitely|certainly|probably|clearly|an?|"
    rf"firm|solid|clear|strong|full|perfect|resounding) )*[\W_]*?(?P<value>{VALUE.pattern})[\W_]*"
)
"""A first line that is nothing but a number."""

FIRST_BOLD = re.compile(
    rf"\W*(?:\*\*|__)(?P<value>{VALUE.pattern})(?:\*\*|__) ?[-:,(](?! ?(?:{_FACTORS})\b)|"
    rf"\W*(?P<digits>{_N}) \(\d+\0+\)"
)
"""A number in bold, or in digits and in words, before what is said of it."""

FIRST_WORD = re.compile(rf"[\W_]*?(?P<value>{VALUE.pattern})(?<=\0)[*_]*[.!](?=\s)")
"""A first sentence that is a number in words; in digits it might number an item."""

WOULD = re.compile(
    r"[*_\"' )]*(?:(?:would|could|might|should) (?:only )?(?:be|have|require|imply|mean|need|apply|suggest|denote|"
    r"indicate|call)|(?:is|are|being) (?:reserved|the (?:most|least|high|low|worst|max|min)|most |least |highest|"
    r"lowest)|(?:=|being) |denot|where )"
)
LEFT = re.compile(r"\bfrom (?:an? )?\Z")
FOR = re.compile(r"[*_ ]*to an? [*_]*\d")
CONDITION = re.compile(
    r"\b(?:if(?! (?:pressed|pushed|forced|asked|compelled|required|you (?:insist|want|need)|i(?:'m| am| must| had|"
    r" have|"
    r" were| need)))|had|unless|absent|but for|in the absence of|even with(?:out)?|without (?:the |this |that |such |"
    r"clear |"
    r"proven |any )?(?:intent\w*|knowledge|evidence|mitigat\w+|aggravat\w+|these|them|it))\b"
)
SHARED = re.compile(r"[ *_]*(?:of (?:the|all|every|these|those|them|its|their|his|our|[a-z]+s)\b|(?:ths?|th of)\b)")
COUNTED = re.compile(
    r"[ *_]+(?!(?:on|in|for|because|given|due|and|but|as|based|with|since|which|overall|severity|rating|score|"
    r"points?|reflecting|is|at|when|here|or|considering|indicating|out|owing|from|under|by|this|these|those|the|it|"
    r"they|i|we|extremely|very|most|highest|high|maximum|catastrophic|severe|grave|extreme|critical|serious|"
    r"justification|explanation|reasoning|rationale|to|where|while|although|though|however|if|reflects?|indicates?|"
    r"range|region|band|mark|territory|signif\w+|represent\w*|seems?|appears?|would|may|can|will|should|following|"
    r"taking|according|that|are|be|so|thus|"
    r"therefore|not|rather|overall|per|without|scale|stars?|level|grade|both|ris\w+|increas\w+|going|up|down|falling|"
    r"all|my|our|after|despite|even|only|max)\b)[a-z]"
)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


class LABEL:
    """Labels that stand before a number in the same clause or row."""

    _SIGNS = frozenset(":=|({[>\x01*_`\"'$#-")
    _WORDS = _words(
        """
        a an at as to of it this them these on is be the between around about approximately roughly nearly almost
        solid clear full perfect firm strong than from violation violations act acts conduct actions rating severity
        score level overall or low high severe say give gives assign scores rate deserve deserves merit merits warrant
        warrants grave extreme critical with for below under
        """
    )
    _LAST_WORD = re.compile(r"\w+\Z")
    _FORM = re.compile(rf"[\W\d_]*+(?P<label>[a-z][^:|=\n]{{0,80}}?)[*_\"' ]*(?::|\||=|\(|--? )(?:{_FILL}){{0,20}}+\Z")

    @classmethod
    def near_end(cls, lead: str) -> bool:
        """Whether what stands right before a number may introduce a rating at all."""
        near = lead[-24:].rstrip()
        if near[-1:] in cls._SIGNS:
            return True
        word = cls._LAST_WORD.search(near.removesuffix(",")[-16:])
        return word is not None and word[0] in cls._WORDS

    @classmethod
    def of(cls, clause: str) -> str:
        """The label of a clause like "label: " or of a table's row; empty if it has none."""
        if clause.lstrip().startswith("|"):
            return next((cell.strip(" *_") for cell in clause.split("|") if cell.strip(" *_")), "")
        found = cls._FORM.match(clause)
        return found["label"].strip() if found else ""

    @staticmethod
    def above(lead: str) -> str:
        """The line above a number that starts its own."""
        lines = [line.strip(" *_#>-:") for line in lead.split("\n")]
        return next(filter(None, reversed(lines)), "") if not lines[-1] else ""


def folded(text: str) -> str:
    """Lower case, with one kind of digit, dash, slash and space; every character stays in its place."""
    lower = text.lower()
    if len(lower) != len(text):
        lower = "".join(low if len(low := sign.lower()) == 1 else sign for sign in text)
    lower = lower.replace(FILLED, " ").replace(MARKED, " ")
    if lower.isascii():
        return lower
    return lower.translate(_ALIKE).encode("utf-8", "replace").decode()  # halves of surrogate pairs become "?"


def with_digits(text: str) -> str:
    """Number words as digits, filled up to their length."""
    pieces, done = [], 0
    for word in _number_words(text):
        part = ".5" if word["half"] else f".{_DIGITS[word['tenth']]}" if word["tenth"] else ""
        pieces += [text[done : word.start()], f"{_DIGITS[word['whole']]}{part}".ljust(len(word[0]), FILLED)]
        done = word.end()
    return "".join(pieces) + text[done:] if pieces else text


def _number_words(text: str) -> Iterator[re.Match[str]]:
    """Each number word that stands alone, and is no part of one before: "nine point five" is one."""
    for _, at, _ in _NAMES.find_matches_as_indexes(text):
        alone = not text[at - 1 : at].isalnum()
        if alone and not text[max(0, at - 7) : at].endswith((" point", "-point", "point ", "point-")):
            found = _WORD.match(text, at)
            if found:
                yield found
