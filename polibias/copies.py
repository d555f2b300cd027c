"""Copies of pairs: the same prompts and responses with the two countries hidden, or just to be read again. Pure.

Labels follow the parties' order: Country X is A, whoever acts. Source: paper, App. H.
"""

from collections import Counter

import msgspec

from polibias.domain.lexicon import Lexicon
from polibias.domain.masked import Level
from polibias.domain.rows import MaskedResponse, PromptPair, Response
from polibias.domain.sides import SIDES, Both
from polibias.domain.study import Copy
from polibias.errors import InputError
from polibias.masking.mask import Masker
from polibias.sources.lexicon import require_pair


class Maskers:
    """The masker of each pair and level, made when it is first needed."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._made: dict[tuple[str, str, Level], Masker] = {}

    def of(self, parties: Both[str], level: Level) -> Masker:
        """Raises InputError unless the lexicon has both countries and a file of the pair."""
        name = (parties.A, parties.B, level)
        if name not in self._made:
            a, b = require_pair(f"{parties.A}-{parties.B}", self._lexicon)
            self._made[name] = Masker(a, b, self._lexicon, level)
        return self._made[name]


def copied(pair: PromptPair, pair_id: str, copy: Copy, inclusion: float, maskers: Maskers | None) -> PromptPair:
    """The copy of a pair. Raises InputError if it is to be masked and one of its prompts cannot be."""
    fields = {"design": msgspec.structs.replace(pair.design, condition=copy.name), "copy_of": pair_id}
    made = msgspec.structs.replace(pair, **fields, inclusion=inclusion)
    if not copy.mask or maskers is None:
        return made
    masker = maskers.of(pair.parties, copy.mask)

    def hidden(texts: Both[str]) -> Both[str]:
        return Both(*(_hidden(masker, texts[side], pair) for side in SIDES))

    return msgspec.structs.replace(
        made,
        acting=hidden(pair.acting),
        facing=hidden(pair.facing),
        prompts=hidden(pair.prompts),
        shown=pair.shown and hidden(pair.shown),
        sources=pair.sources | {"lexicon": masker.lexicon},
        level=copy.mask,
    )


def _hidden(masker: Masker, text: str, pair: PromptPair) -> str:
    masked = masker.mask(text)
    if not masked.whole:
        why = masked.reason or f"'{masked.leaks[0].word}' is left, {masked.leaks[0].why}"
        design = pair.design
        raise InputError(
            f"the prompts of {design.template}, {design.topic}, {design.task} cannot be masked: {why}; "
            "correct the wording, or the lexicon of the data folder"
        )
    return masked.text


def masked_response(
    masker: Masker, pair_id: str, pair: PromptPair, response_id: str, response: Response
) -> MaskedResponse:
    """The row for one response of a masked pair, whatever became of its text."""
    masked = masker.mask(response.text)
    return MaskedResponse(
        pair=pair_id,
        response=response_id,
        side=response.side,
        design=pair.design,
        model=response.model,
        level=masked.level,
        lexicon=masked.lexicon,
        outcome=masked.status,
        text=masked.text,
        replaced=dict(Counter(one.kind for one in masked.replacements)),
        leaks=masked.leaks,
        reason=masked.reason,
    )
