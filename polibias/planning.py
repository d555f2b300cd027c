"""A study with everything it names, read and checked before anything is asked."""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Literal, NamedTuple

from polibias import copies, pairs, sampling
from polibias.domain.ids import canonical, plain, tagged_hash
from polibias.domain.rows import PromptPair
from polibias.domain.rubric import Rubric
from polibias.domain.sides import Both
from polibias.domain.study import AnyModel, Copy, Rate, Reidentify, Served, Study
from polibias.domain.wording import JudgePrompt, placeholders
from polibias.errors import InputError
from polibias.judging.naming import Naming, make_naming
from polibias.judging.prompt import judge_prompt
from polibias.models.base import Model
from polibias.models.credentials import Credential
from polibias.models.registry import open_model
from polibias.records.ledger import row_id
from polibias.records.runs import pair_key
from polibias.sources.files import data_folder
from polibias.sources.lexicon import read_lexicon
from polibias.sources.library import Item, Library
from polibias.sources.pairsets import read_pair_set
from polibias.sources.registry import rate_of
from polibias.sources.rubrics import check_task, read_judge_prompt, read_naming_prompt, read_rubric
from polibias.sources.studies import find_study, read_study

OFFICIAL = ("official",)


Role = Literal["model", "judge"]


class Pairs:
    """A study's pairs, built anew whenever they are gone through: memory does not depend on how many there are."""

    def __init__(self, build: Callable[[], Iterator[PromptPair]]) -> None:
        self._build = build

    def __iter__(self) -> Iterator[PromptPair]:
        return self._build()

    def __len__(self) -> int:
        return self._count

    @cached_property
    def _count(self) -> int:
        return sum(1 for _ in self)

    @cached_property
    def hash(self) -> str:
        """Names the pairs and the probabilities with which they were chosen, in any order."""
        return tagged_hash("pairs/2", sorted([pair_key(pair), repr(pair.inclusion)] for pair in self))


class Party(NamedTuple):
    """A model of a study in its role, with its declaration and its price per million tokens, None if not known."""

    role: Role
    model: Model
    spec: AnyModel
    rate: Rate | None


class Plan(NamedTuple):
    """A study, its text as written, and what it comes to.

    `asked` holds the judge task of every condition, `conditions` its title, and `pair_set` says where imported pairs
    come from. Models are asked `own_pairs`; `prompt_pairs` are those and their copies. `maskers` are there if any copy
    is masked, `naming` if judges are to re-identify such copies.
    """

    study: Study
    text: str
    data: Path
    rubric: Rubric
    conditions: dict[str, str]
    asked: dict[str, JudgePrompt]
    pair_set: dict[str, str]
    own_pairs: Pairs
    prompt_pairs: Pairs
    models: list[Model]
    judges: list[Model]
    rates: dict[tuple[Role, str], Rate | None]
    maskers: copies.Maskers | None
    naming: Naming | None

    @property
    def replicates(self) -> dict[str, int]:
        """The replicate of every condition's judgments."""
        own = {copy.name: copy.replicate for copy in self.study.copies}
        return {condition: own.get(condition, 0) or self.study.replicate for condition in self.conditions}

    def parties(self, names: Sequence[str] = ()) -> list[Party]:
        """Every model and judge, or those of these names. Naming models alone brings all judges along.

        Raises InputError for a name that none has.
        """
        models = self._parties("model", self.models, self.study.models)
        judges = self._parties("judge", self.judges, self.study.judges)
        known = {party.spec.name for party in (*models, *judges)}
        for name in names:
            if name not in known:
                raise InputError(f"--model {name}: the study has no such model; it has {', '.join(sorted(known))}")
        if not names:
            return models + judges
        chosen = [party for party in judges if party.spec.name in names]
        return [party for party in models if party.spec.name in names] + (chosen or judges)

    def _parties(self, role: Role, models: Sequence[Model], specs: Sequence[AnyModel]) -> list[Party]:
        both = zip(models, specs, strict=True)
        return [Party(role, model, spec, self.rates[role, spec.name]) for model, spec in both]


def plan(name: str, data: Path | None = None, panel: str = "", keyless: bool = False) -> Plan:
    """Read the study and its data and open its models; every mistake in them surfaces here, before any call.

    `keyless` needs no keys and is for looking only.
    """
    path = find_study(name)
    (study, text), where = read_study(path, panel), str(path)
    if not keyless:
        _check_secrets(study, text, where)
    folder = data or data_folder()
    rubric = read_rubric(folder, study.rubric, where)
    found = _imported(study, folder, where) if study.pair_set else _built(study, folder, where)
    masked = any(copy.mask for copy in study.copies)
    maskers = copies.Maskers(read_lexicon(folder)) if masked else None
    own_pairs = found.pairs
    prompt_pairs, asked_by, titles, pair_set = _with_copies(found, study, maskers, where)
    asked = {condition: read_judge_prompt(folder, task, where) for condition, task in asked_by.items()}
    if not len(prompt_pairs):
        raise InputError(f"{where}: its draw leaves nothing to ask; ask for at least one item")
    _check_tasks(asked, rubric, prompt_pairs, where)
    return Plan(
        study=study,
        text=text,
        data=folder,
        rubric=rubric,
        conditions=titles,
        asked=asked,
        pair_set=pair_set,
        own_pairs=own_pairs,
        prompt_pairs=prompt_pairs,
        models=[open_model(spec, keyless) for spec in study.models],
        judges=[open_model(spec, keyless) for spec in study.judges],
        rates=_rates(folder, study),
        maskers=maskers,
        naming=_naming(folder, study.reidentify, where) if study.reidentify else None,
    )


def _check_secrets(study: Study, text: str, where: str) -> None:
    """Raise InputError if a model's key stands in the study or its panel: every run keeps and publishes both."""
    declared = canonical(plain(study)).decode("ascii")
    for spec in (*study.models, *study.judges):
        if isinstance(spec, Served):
            credential = Credential(spec)
            if credential.is_in(text) or credential.is_in(declared):
                raise InputError(
                    f"{where}: the key in {spec.api_key_env} stands in the study or its panel, which every run keeps; "
                    "take it out, and replace the key if anybody else has seen the file"
                )


def _rates(folder: Path, study: Study) -> dict[tuple[Role, str], Rate | None]:
    roles: tuple[tuple[Role, tuple[AnyModel, ...]], ...] = (("model", study.models), ("judge", study.judges))
    return {(role, spec.name): rate_of(folder, spec) for role, specs in roles for spec in specs}


class Found(NamedTuple):
    """The pairs of a study, the judge task and the title of each condition, and where imported pairs come from."""

    pairs: Pairs
    tasks: dict[str, str]
    titles: dict[str, str]
    pair_set: dict[str, str]


def _built(study: Study, folder: Path, where: str) -> Found:
    """The library's pairs."""
    library = Library(folder)
    library.require()
    chosen = list(_drawn(study, library.items(study.items, where), where))
    conditions = study.conditions or OFFICIAL
    built = Pairs(lambda: map(pairs.build, library.scenarios(chosen, conditions, where)))
    len(built)  # builds them once, so that whatever is wrong with them is said here
    tasks = {name: study.judge_prompt or library.conditions[name].judge_prompt for name in conditions}
    return Found(built, tasks, {name: library.conditions[name].title for name in conditions}, {})


def _drawn(study: Study, items: Sequence[Item], where: str) -> Iterator[tuple[Item, float]]:
    """The items that the study's draw chooses, in their own order, with their inclusion probabilities."""
    if study.draw is None:
        return ((item, 1.0) for item in items)
    candidates = {
        sampling.Candidate(
            template=item.template.id,
            category=item.template.category,
            topic=item.pair.id,
            topic_category=item.pair.category,
            block=item.pair.block,
            task=item.task.id,
        ): item
        for item in items
    }
    return ((candidates[one.candidate], one.inclusion) for one in sampling.sample(candidates, study.draw, where))


def _imported(study: Study, folder: Path, where: str) -> Found:
    """The pairs of an imported set, or the part of them that the draw chooses."""
    pair_set = read_pair_set(folder, study.pair_set, where)
    found = pair_set.pairs
    chosen = [(pair, 1.0) for pair in found]
    if study.draw is not None:
        candidates = {
            sampling.Candidate(
                template=pair.template,
                category=pair.category,
                topic=pair.topic,
                topic_category=pair.topic_category,
                block=pair.block,
                task=pair.task,
                name=pair.id,
            ): pair
            for pair in found
        }
        drawn = sampling.sample(candidates, study.draw, where)
        chosen = [(candidates[one.candidate], one.inclusion) for one in drawn]
    origin = {
        "name": pair_set.title if pair_set.title == pair_set.id else f"{pair_set.title} ({pair_set.id})",
        "credit": pair_set.credit or "none given",
        "source": f"{pair_set.source}, SHA-256 {pair_set.sha256}",
        "pairs": f"{len(chosen)} of {len(found)}, {len(pair_set.left_out)} rows left out at import",
    }
    titles = {pairs.AS_WRITTEN: "Imported pairs, word for word"}
    return Found(
        Pairs(lambda: (pairs.imported(*one) for one in chosen)), {pairs.AS_WRITTEN: study.judge_prompt}, titles, origin
    )


def _with_copies(found: Found, study: Study, maskers: copies.Maskers | None, where: str) -> Found:
    """The study's pairs and then every copy, each read by the judge task of the pairs it copies."""
    if not study.copies:
        return found
    for copy in study.copies:
        if copy.name in found.titles or copy.title in found.titles.values():
            what = "name" if copy.name in found.titles else "title"
            raise InputError(f"{where}: copy '{copy.name}' has the {what} of the condition it copies; choose another")
    chances = {copy.name: _chances(found.pairs, study, copy, where) for copy in study.copies}

    def every() -> Iterator[PromptPair]:
        yield from found.pairs
        for copy in study.copies:
            for pair, id in ((pair, row_id(pair)) for pair in found.pairs):
                if id in chances[copy.name]:
                    yield copies.copied(pair, id, copy, chances[copy.name][id], maskers)

    (task,) = found.tasks.values()  # a study with copies has one condition
    named = {copy.name: copy for copy in study.copies}
    return Found(
        _checked(Pairs(every), where),
        found.tasks | dict.fromkeys(named, task),
        found.titles | {name: copy.title for name, copy in named.items()},
        found.pair_set,
    )


def _checked(prompt_pairs: Pairs, where: str) -> Pairs:
    """The pairs, built once, so that whatever is wrong with them is said here."""
    try:
        len(prompt_pairs)
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    return prompt_pairs


def _chances(prompt_pairs: Pairs, study: Study, copy: Copy, where: str) -> dict[str, float]:
    """The pairs that are copied, by id, with the probability with which they were chosen."""
    if copy.part is None:
        return {row_id(pair): pair.inclusion for pair in prompt_pairs}
    if study.draw is None:
        raise InputError(f"{where}: copy '{copy.name}' is of some items alone; give the study a [draw] with a seed")
    ids = {_candidate(pair): row_id(pair) for pair in prompt_pairs}
    drawn = [sampling.Drawn(_candidate(pair), pair.inclusion) for pair in prompt_pairs]
    part = copy.part
    try:
        chosen = sampling.part(drawn, study.draw.seed, part.name, items=part.items, each=part.each, over=part.over)
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    return {ids[one.candidate]: one.inclusion for one in chosen}


def _candidate(pair: PromptPair) -> sampling.Candidate:
    """A pair as an item to draw; imported pairs, and those of one item that keep its roles, have names of their own."""
    factors = {name: getattr(pair.design, name) for name in sampling.FACTORS}
    roles = "" if pair.design.roles == "swapped" else pair.design.roles
    return sampling.Candidate(**factors, name=pair.sources.get("imported", roles))


def _naming(folder: Path, asked: Reidentify, where: str) -> Naming:
    """The task of re-identification; its candidates are all countries of the library."""
    countries = Library(folder).countries
    prompt = read_naming_prompt(folder, asked.task, where)
    return make_naming(prompt, {one.id: one.name for one in countries.values()}, asked.seed)


def _check_tasks(asked: dict[str, JudgePrompt], rubric: Rubric, prompt_pairs: Pairs, where: str) -> None:
    """Raise InputError unless every judge task can be filled in, and all of them score the same dimensions."""
    for task in asked.values():
        check_task(task, rubric, where)
    first: dict[str, PromptPair] = {}
    for pair in prompt_pairs:
        _check_fit(asked[pair.design.condition], pair, where)
        first.setdefault(pair.design.condition, pair)
    for condition, pair in first.items():
        judge_prompt(asked[condition], asked[condition].scored_by(rubric), pair, Both("", ""), "AB")
    scored = [task.scored_by(rubric) for task in asked.values()]
    if len({tuple((d.id, one.scale(d)) for d in one.dimensions) for one in scored}) > 1:
        raise InputError(f"{where}: its conditions score different dimensions or scales; make a study of each")


def _check_fit(task: JudgePrompt, pair: PromptPair, where: str) -> None:
    """Raise InputError if the judge would be told what is not so: exchanged roles, or countries that a pair lacks."""
    what = f"{where}: judge prompt '{task.id}'"
    kept = pair.design.roles != "swapped"
    if task.roles != "any" and kept != (task.roles == "kept"):
        raise InputError(f"{what} is for {task.roles} roles, and condition '{pair.design.condition}' has others")
    for name, names in (("acting", pair.acting), ("facing", pair.facing)):
        if not (names.A and names.B) and {f"{name}_1", f"{name}_2"} & placeholders(task.text):
            raise InputError(f"{what} names who is {name}, and these pairs do not say it; choose another task")
