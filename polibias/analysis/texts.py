"""The texts behind a case, read again from the run when a page shows them."""

from functools import cached_property

from polibias.analysis.cases import Case
from polibias.domain.rows import JudgeGuess, Judgment, MaskedResponse, PromptPair, Response
from polibias.domain.sides import Both, Order, Side
from polibias.records.shelf import Shelf


class Texts:
    """What was asked, answered and judged in one case, whole."""

    def __init__(
        self,
        prompts: Both[str],
        responses: dict[Side, Response | MaskedResponse],
        judgments: dict[Order, Judgment],
        guess: JudgeGuess | None,
    ) -> None:
        self.prompts = prompts
        self.responses = responses
        self.judgments = judgments
        self.guess = guess

    def hold(self, quote: str) -> bool:
        """Whether a judge's quote stands in one of the responses, white space aside. A judge can make quotes up."""
        wanted = _plain(quote)
        return any(wanted in text for text in self._plain_responses)

    @cached_property
    def _plain_responses(self) -> list[str]:
        return [_plain(response.text) for response in self.responses.values()]


def _plain(text: str) -> str:
    return " ".join(text.split())


def texts(case: Case, shelf: Shelf) -> Texts:
    """The case's rows as they are stored. Raises DamagedRecord if one has changed since the case was read."""
    guess = None if case.guess is None else shelf.row(case.guess.mark, JudgeGuess)
    return Texts(prompts(case, shelf), answers(case, shelf), readings(case, shelf), guess)


def prompts(case: Case, shelf: Shelf) -> Both[str]:
    """What was asked: the same for every model and judge of a pair."""
    return shelf.row(case.pair.mark, PromptPair).prompts


def answers(case: Case, shelf: Shelf) -> dict[Side, Response | MaskedResponse]:
    """What was read by judges: the same for every judge of a pair and model."""
    kind: type[Response] | type[MaskedResponse] = MaskedResponse if case.pair.level else Response
    return {side: shelf.row(found.mark, kind) for side, found in case.responses.items()}


def readings(case: Case, shelf: Shelf) -> dict[Order, Judgment]:
    """What this judge said, by order."""
    return {order: shelf.row(found.mark, Judgment) for order, found in case.judgments.items()}
