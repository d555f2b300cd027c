"""Which items are asked: seeded draws that are as even as integers allow and give every item a known probability.

A draw starts from what every item of a block should get, its inclusion probability, and rounds these fractions to
0 and 1 so that all totals that matter are rounded too, each to one of the two integers next to it. This is
controlled rounding: items are the flow through a network whose nodes are the totals, fractions that are left always
lie on a cycle, and pushing flow around the cycle settles at least one of them without changing any total
(Cox 1987; Gandhi et al. 2006). A coin decides which way, with odds that keep every expectation where it was. So
an item's chance to be drawn is exactly the fraction it began with, whatever the sizes and however the cycles lie.

Order and coins come from keyed hashes of the seed and the items' own names (`domain/ids.py`), so a draw is the same
on every platform and does not depend on the order in which the items are given.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import count, pairwise
from math import lcm
from typing import NamedTuple, TypeVar

from polibias.domain.ids import tagged_hash
from polibias.domain.study import Draw
from polibias.errors import InputError

ALGORITHM = "balanced-draw-1"

Coin = Callable[[int, int], bool]
Node = Hashable
Name = TypeVar("Name", bound=Hashable)


class Candidate(NamedTuple):
    """An item that may be drawn: the factors of the design that it belongs to, and a name of its own if it has one."""

    template: str
    category: str
    topic: str
    topic_category: str
    block: str
    task: str
    name: str = ""


FACTORS = Candidate._fields[:-1]


class Drawn(NamedTuple):
    """An item that was drawn, and the probability with which it was."""

    candidate: Candidate
    inclusion: float


class Flow(NamedTuple):
    """A value to be rounded, and the totals it counts in: two chains of nested groups, each from fine to coarse."""

    value: Fraction
    left: tuple[Node, ...]
    right: tuple[Node, ...]


class Balance(NamedTuple):
    """How evenly one margin came out within one block, or over `all`: expected and achieved counts of its cells.

    `even` says that every cell holds its expected count rounded down or up.
    """

    scope: str
    margin: str
    cells: int
    expected: tuple[float, float]
    achieved: tuple[int, int]
    even: bool


def sample(candidates: Iterable[Candidate], rule: Draw, where: str) -> list[Drawn]:
    """The items that a study's rule chooses, in their order. A block without a size is taken whole.

    Raises InputError, naming `where`, if the rule cannot be kept.
    """
    found = list(candidates)
    whole = Counter(one.block for one in found)
    asked = {"main": rule.main, "control": rule.control}
    sizes = {name: whole[name] if size is None else size for name, size in asked.items()}
    try:
        if rule.main is None and rule.control is None:
            drawn = [Drawn(one, 1.0) for one in found]
        else:
            drawn = draw(found, sizes, rule.seed)
        for one in rule.parts:
            drawn = part(drawn, rule.seed, one.name, items=one.items, each=one.each, over=one.over, block=one.block)
        return drawn
    except InputError as error:
        raise InputError(f"{where}: {error}") from None


def draw(candidates: Sequence[Candidate], sizes: Mapping[str, int], seed: int) -> list[Drawn]:
    """So many items of each block as `sizes` says, in the order of `candidates`.

    Within a block of n items from T templates × P topics × K tasks every item has the same chance n / TPK, and the
    cells of every one of `BLOCK_MARGINS` get their share of n rounded down or up: cells of one size differ by at most
    one. Over all blocks the same holds for `COMMON_MARGINS` if the blocks have the same tasks. No sizes are excepted.

    Raises InputError if a block is no full product, has no size, or is smaller than its size.
    """
    names = dict.fromkeys((*sizes, *_values(candidates, "block")))
    blocks = {name: [one for one in candidates if one.block == name] for name in names}
    for name, block in blocks.items():
        _check_block(name, block, sizes)
    tasks = {name: _values(block, "task") for name, block in blocks.items()}
    chosen = _with_tasks(_times_drawn(blocks, tasks, sizes, seed), tasks, seed)
    inclusion = {name: sizes[name] / max(1, len(block)) for name, block in blocks.items()}
    return [Drawn(one, inclusion[one.block]) for one in candidates if one._replace(name="") in chosen]


def part(
    drawn: Sequence[Drawn],
    seed: int,
    name: str,
    *,
    items: int = 0,
    each: int = 0,
    over: Sequence[str] = (),
    block: str = "",
) -> list[Drawn]:
    """A stratified sample of an earlier draw, in its order: `items` in all, or `each` in every stratum.

    `over` names the factors whose combinations, as they occur in the draw, are the strata. `items` are spread evenly
    over them, but blocks, where they are in `over`, come first and keep their proportion. `block` keeps to one block.
    `name` separates parts: two names draw independently.

    All items of a stratum have equal chances. Every stratum, and every union of strata by the first factors of `over`,
    gets its share rounded down or up, and so do the topics within a stratum, and the templates and their categories
    in all. `inclusion` is the parent's times (the stratum's share, which may be a fraction, / its size).

    Raises InputError for a rule that cannot be read, and where a part or a stratum asks for more than there is.
    """
    _check_rule(name, items, each, over)
    parent = [one for one in drawn if block in ("", one.candidate.block)]
    if max(items, each) > len(parent):
        what = f"{max(items, each)} items of {len(parent)}" + (f" in block '{block}'" if block else "")
        raise InputError(f"part '{name}': {what}; ask for fewer, or draw more")
    strata = sorted(over, key=lambda factor: factor != "block")
    chance = _chances([one.candidate for one in parent], name, items, each, strata)
    order = _shuffled(chance, seed, ["part", name])
    flows = [_part_flow(one, chance[one], strata) for one in order]
    kept = {one for one, number in zip(order, rounded(flows, keyed_coin(seed, ["part", name])), strict=True) if number}
    return [Drawn(one, inclusion * float(chance[one])) for one, inclusion in parent if one in kept]


def balance(drawn: Sequence[Drawn], candidates: Sequence[Candidate]) -> list[Balance]:
    """Expected and achieved counts for every margin that `draw` promises, cells without any item included."""
    numbers = Counter(one.candidate.block for one in drawn)
    sizes = Counter(one.block for one in candidates)
    expected = {one: Fraction(numbers[one.block], sizes[one.block]) for one in candidates}
    chosen = {one.candidate for one in drawn}
    rows = [
        _balance(name, margin, {one: share for one, share in expected.items() if one.block == name}, chosen)
        for name in sizes
        for margin in BLOCK_MARGINS
    ]
    return rows + [_balance("all", margin, expected, chosen) for margin in COMMON_MARGINS if len(sizes) > 1]


BLOCK_MARGINS = (
    ("template",),
    ("topic",),
    ("task",),
    ("topic_category",),
    ("template", "task"),
    ("topic", "task"),
    ("topic_category", "task"),
    ("template", "topic"),
    ("template", "topic_category"),
    ("topic", "category"),
)
COMMON_MARGINS = (("template",), ("category",), ("task",), ("template", "task"), ("category", "task"))


def _balance(
    scope: str, margin: tuple[str, ...], expected: Mapping[Candidate, Fraction], chosen: set[Candidate]
) -> Balance:
    target: defaultdict[tuple[str, ...], Fraction] = defaultdict(Fraction)
    for one, share in expected.items():
        target[_key(one, margin)] += share
    found = Counter(_key(one, margin) for one in expected if one in chosen)
    achieved = [found[cell] for cell in target]
    return Balance(
        scope,
        " × ".join(margin),
        len(target),
        (float(min(target.values())), float(max(target.values()))),
        (min(achieved), max(achieved)),
        all(abs(found[cell] - share) < 1 for cell, share in target.items()),
    )


def _check_block(name: str, block: Sequence[Candidate], sizes: Mapping[str, int]) -> None:
    if name not in sizes:
        raise InputError(f"block '{name}': no size is given; say how many of its {len(block)} items to draw, or 0")
    if sizes[name] < 0:
        raise InputError(f"block '{name}': {sizes[name]} items cannot be drawn; ask for 0 or more")
    if sizes[name] > len(block):
        what = f"block '{name}': {sizes[name]} items of {len(block)}"
        raise InputError(f"{what}; ask for fewer, or name more templates, topics or tasks")
    templates, topics, tasks = (len(_values(block, factor)) for factor in ("template", "topic", "task"))
    if not len(block) == len({one._replace(name="") for one in block}) == templates * topics * tasks:
        what = f"block '{name}': {templates} templates × {topics} topics × {tasks} tasks, but {len(block)} items"
        raise InputError(f"{what}; name every combination once, or take all and then a part")


def _times_drawn(
    blocks: Mapping[str, Sequence[Candidate]], tasks: Mapping[str, Sequence[str]], sizes: Mapping[str, int], seed: int
) -> dict[Candidate, int]:
    """How many tasks each template × topic gets; such a cell is written as a candidate without a task."""
    cells = {one._replace(task="", name="") for block in blocks.values() for one in block}
    share = {name: Fraction(sizes[name] * len(tasks[name]), max(1, len(block))) for name, block in blocks.items()}
    order = _shuffled(cells, seed, ["cells"])
    flows = [_draw_flow(cell, share[cell.block]) for cell in order]
    return dict(zip(order, rounded(flows, keyed_coin(seed, ["cells"])), strict=True))


def _with_tasks(times: Mapping[Candidate, int], tasks: Mapping[str, Sequence[str]], seed: int) -> set[Candidate]:
    """Hand out the tasks, one after the other, each to its fair share of what is left.

    If a total m is a·c + b with c tasks left (0 ≤ b < c), a task takes a or, with b > 0, a + 1. What is left is then
    a·(c − 1) + something from 0 to c − 1, so every later task gets a or a + 1 as well: all tasks are even in every
    total, and a cell never gets a task twice. A task expects m / c of the total, and by induction each task does.
    """
    chosen: set[Candidate] = set()
    left = dict(times)
    waiting = _shuffled({task for names in tasks.values() for task in names}, seed, ["tasks"])
    for place, task in enumerate(waiting):
        still = {name: len(set(names) & set(waiting[place:])) for name, names in tasks.items()}
        order = [cell for cell in left if left[cell] and task in tasks[cell.block]]
        flows = [_draw_flow(cell, Fraction(left[cell], still[cell.block])) for cell in order]
        for cell, number in zip(order, rounded(flows, keyed_coin(seed, ["task", task])), strict=True):
            left[cell] -= number
            chosen |= {cell._replace(task=task)} if number else set()
    return chosen


def _draw_flow(one: Candidate, value: Fraction) -> Flow:
    # A template's total over all blocks lies above its totals per block, so that both are kept.
    left = (("block", "template", "topic_category"), ("block", "template"), ("template", "category"), ("category",))
    right = (("block", "topic", "category"), ("block", "topic"), ("block", "topic_category"), ("block",))
    return Flow(value, tuple(_key(one, names) for names in left), tuple(_key(one, names) for names in right))


def _part_flow(one: Candidate, value: Fraction, strata: Sequence[str]) -> Flow:
    unions = [strata[:length] for length in range(len(strata), 0, -1)]
    left = ((*strata, "topic"), *unions)
    right = (("template", "category"), ("category",))
    return Flow(value, tuple(_key(one, names) for names in left), tuple(_key(one, names) for names in right))


def even(values: Sequence[str], value: Fraction) -> Flow:
    """A value that is to be even over these factors together, over each union of the first ones, and over the last."""
    unions = tuple(("union", *values[:length]) for length in range(len(values), 0, -1))
    return Flow(value, unions, (("last", *values[-1:]),) if values[1:] else ())


def _check_rule(name: str, items: int, each: int, over: Sequence[str]) -> None:
    for factor in over:
        if factor not in FACTORS:
            raise InputError(f"part '{name}': no factor '{factor}'; there are {', '.join(FACTORS)}")
    if min(items, each) < 0 or (items > 0) == (each > 0):
        raise InputError(f"part '{name}': give either items or each, a number above 0")


def _chances(
    parent: Sequence[Candidate], name: str, items: int, each: int, strata: Sequence[str]
) -> dict[Candidate, Fraction]:
    """Each item's chance to be in the part, given the draw: its stratum's share over the stratum's size."""
    first = strata[:1] if strata[:1] == ["block"] else []
    groups = Counter(_key(one, first) for one in parent)
    sizes = Counter(_key(one, strata) for one in parent)
    within = Counter(stratum[: len(first)] for stratum in sizes)
    chances: dict[Candidate, Fraction] = {}
    for one in parent:
        group, stratum = _key(one, first), _key(one, strata)
        share = Fraction(each) if each else Fraction(items * groups[group], len(parent) * within[group])
        if share > sizes[stratum]:
            asked = f"part '{name}': {float(share):g} items of {sizes[stratum]} in {' × '.join(stratum)}"
            raise InputError(f"{asked}; ask for fewer, or draw more")
        chances[one] = share / sizes[stratum]
    return chances


def rounded(flows: Sequence[Flow], coin: Coin) -> list[int]:
    """Each value as one of its two neighbouring integers, an integer as itself, its expectation being the value.

    The sum of every group of either chain, and the sum of all, is one of the two integers next to its own value.
    """
    scale = lcm(*(flow.value.denominator for flow in flows))
    arcs = _arcs(flows, scale)
    rest = [value % scale for _, _, value in arcs]
    unsettled: defaultdict[Node, dict[int, None]] = defaultdict(dict)
    for arc, (tail, head, _) in enumerate(arcs):
        if rest[arc]:
            unsettled[tail][arc] = unsettled[head][arc] = None
    for arc in range(len(flows)):
        while 0 < rest[arc] < scale:
            cycle = _cycle(arcs, unsettled, arcs[arc][0])
            _push(cycle, rest, scale, coin)
            for settled in (one for one, _ in cycle if rest[one] in (0, scale)):
                del unsettled[arcs[settled][0]][settled], unsettled[arcs[settled][1]][settled]
    return [value // scale + rest[arc] // scale for arc, (_, _, value) in enumerate(arcs[: len(flows)])]


def _arcs(flows: Sequence[Flow], scale: int) -> list[tuple[Node, Node, int]]:
    """The network as (from, to, value × scale): the flows first, then the totals, then the sum of all, which closes it.

    The scale makes every value a whole number.
    """
    totals: defaultdict[tuple[Node, Node], int] = defaultdict(int)
    flowing: list[tuple[Node, Node, int]] = []
    for flow in flows:
        left = [("left", *place) for place in enumerate((*flow.left, "all"))]
        right = [("right", *place) for place in enumerate((*flow.right, "all"))]
        value = flow.value.numerator * (scale // flow.value.denominator)
        flowing.append((left[0], right[0], value))
        for fine, coarse in pairwise(left):
            totals[coarse, fine] += value
        for step in (*pairwise(right), (right[-1], left[-1])):
            totals[step] += value
    return flowing + [(tail, head, value) for (tail, head), value in totals.items()]


def _cycle(
    arcs: Sequence[tuple[Node, Node, int]], unsettled: Mapping[Node, Mapping[int, None]], start: Node
) -> list[tuple[int, bool]]:
    """Unsettled arcs that form a cycle, and whether it runs along each.

    There is one, because what flows into a node flows out of it, so no node has just one unsettled arc.
    """
    path: list[tuple[int, bool]] = []
    reached, node, last = {start: 0}, start, -1
    while True:
        last = next(arc for arc in unsettled[node] if arc != last)
        along = arcs[last][0] == node
        node = arcs[last][1 if along else 0]
        path.append((last, along))
        if node in reached:
            return path[reached[node] :]
        reached[node] = len(path)


def _push(cycle: Sequence[tuple[int, bool]], rest: list[int], scale: int, coin: Coin) -> None:
    """Move the cycle's flow until an arc is settled. The odds are such that no arc's expectation moves."""
    up = min(scale - rest[arc] if along else rest[arc] for arc, along in cycle)
    down = min(rest[arc] if along else scale - rest[arc] for arc, along in cycle)
    step = up if coin(down, up) else -down
    for arc, along in cycle:
        rest[arc] += step if along else -step


def keyed_coin(seed: int, purpose: Sequence[str]) -> Coin:
    """A coin that says yes with odds `yes` to `no`; its throws are numbered and taken from the seed by keyed hash."""
    throws = count()

    def coin(yes: int, no: int) -> bool:
        return int(tagged_hash(ALGORITHM, [seed, *purpose, next(throws)]), 16) % (yes + no) < yes

    return coin


def _shuffled(names: Iterable[Name], seed: int, purpose: Sequence[str]) -> list[Name]:
    return sorted(names, key=lambda name: tagged_hash(ALGORITHM, [seed, *purpose, name]))


def _values(candidates: Iterable[Candidate], factor: str) -> list[str]:
    return list(dict.fromkeys(getattr(one, factor) for one in candidates))


def _key(one: Candidate, factors: Sequence[str]) -> tuple[str, ...]:
    return tuple(getattr(one, factor) for factor in factors)
