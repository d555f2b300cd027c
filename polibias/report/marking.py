"""What a pair is called, and everything a table cell may select it by."""

import hashlib
from collections.abc import Iterator, Mapping

from polibias.analysis.cases import Case
from polibias.analysis.cuts import cut_marks
from polibias.analysis.frames import direction, one_sided
from polibias.analysis.kinds import ModelKind
from polibias.analysis.reliability import reliability_marks
from polibias.analysis.structured import structure_marks
from polibias.domain.rubric import Rubric
from polibias.domain.sides import ORDERS, SIDES


def favoured_name(case: Case, side: str) -> str:
    """A stored side as who acts in that version, or as the version itself where the same country acts in both."""
    pair = case.pair
    if side not in SIDES:
        return "none"
    own = pair.acting.A if side == "A" else pair.acting.B
    return own if own and pair.design.roles == "swapped" else f"version {side}"


def version_title(case: Case, side: str) -> str:
    """A version with who acts in it, where that is known."""
    pair = case.pair
    acting, facing = (pair.acting.A, pair.facing.A) if side == "A" else (pair.acting.B, pair.facing.B)
    return f"Version {side}: {acting}{' acts' if facing else ''}" if acting else f"Version {side}"


def case_name(case: Case) -> str:
    """A short name that is the same in every report of the same records."""
    return hashlib.sha256(f"{case.judge}\n{case.model}\n{case.pair_id}".encode()).hexdigest()[:16]


def marks(case: Case, rubric: Rubric, kinds: Mapping[str, ModelKind] = {}) -> str:
    """Everything a table cell may select a case by, as ``key=value`` words; values of records never hold a space."""
    design = case.pair.design
    found = {"judge": case.judge, "model": case.model, "block": design.block, "task": design.task}
    words = [f"{key}={value}" for key, value in (found | {"topic": design.topic, "category": design.category}).items()]
    words += [f"condition={design.condition}", *_copy_marks(case, rubric)]
    words += [f"response={case.responses[side].outcome if side in case.responses else 'missing'}" for side in SIDES]
    words += ["again=yes"] if any(response.fallback for response in case.responses.values()) else []
    judged = [case.judgments[order].outcome if order in case.judgments else "missing" for order in ORDERS]
    words += [f"judgment={outcome}" for outcome in judged]
    words += [*structure_marks(case), *reliability_marks(case, rubric), *cut_marks(case, rubric, kinds)]
    if case.complete:
        favoured = direction(case.net(rubric), rubric)
        words += ["complete=yes", f"direction={favoured}", f"directed={'no' if favoured == 'none' else 'yes'}"]
        verdicts = list(case.verdicts.values())
        for label in rubric.labels:
            clear = one_sided(verdicts, label.id, label.one_sided) is not None
            words.append(f"label:{label.id}={'clear' if clear else 'unclear'}")
    return " ".join(dict.fromkeys(words))


def _copy_marks(case: Case, rubric: Rubric) -> Iterator[str]:
    """What the tables on copies select by."""
    design, original = case.pair.design, case.original
    yield f"topic_category={design.topic_category}"
    yield f"copy={design.condition if original else 'original'}"
    if original is None:
        return
    if case.pair.level and design.roles == "swapped":
        yield from ("placed=yes", *(f"party={name}" for name in (case.pair.parties.A, case.pair.parties.B)))
    yield from ["whole=yes"] if case.whole else []
    if case.guess is not None:
        yield f"guessed={'no' if case.guess.result is None else 'yes'}"
    yield from (f"also_before:{judge}=yes" for judge in original.also)
    if case.compared:
        yield "compared=yes"
        yield f"level={case.pair.level or 'none'}"
        yield from ["contrasted=yes"] if design.block == "main" or design.topic_category == "fictional" else []
        yield f"directed_before={'no' if direction(original.net(rubric), rubric) == 'none' else 'yes'}"
