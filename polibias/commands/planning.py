"""Commands that plan a validation study, and try out an analysis before one: power, simulate."""

import argparse
from math import inf, isfinite
from pathlib import Path
from typing import TYPE_CHECKING

from polibias.commands.shapes import SEED, Commands, count
from polibias.errors import InputError

if TYPE_CHECKING:
    from polibias.simulate import Simulation
    from polibias.simulated.declaration import StudySimulation

QUANTITIES = ("gap", "judge", "human")
MOST_ANNOTATORS, MOST_DIMENSIONS = 10, 20
FEWEST_STUDIES, MOST_STUDIES = 100, 100_000
MOST_RATINGS = 2_000_000
DECLARED = {
    "units": 300,
    "clusters": 60,
    "raters": 2,
    "kappa": 0.75,
    "bias": 0.0,
    "side_effect": 0.0,
    "drift": 0.0,
    "unsure": 0.0,
    "icc": 0.0,
    "seed": SEED,
}


def add(commands: Commands) -> None:
    """Add the commands of this module."""
    _add_power(commands)
    _add_simulate(commands)


def _add_power(commands: Commands) -> None:
    power = commands.add_parser("power", help="how many pairs a validation study needs, or what so many can show")
    target = power.add_mutually_exclusive_group()
    target.add_argument("--half-width", type=float, metavar="W", help="a 95%% interval of ± W; says how many pairs")
    target.add_argument(
        "--detectable", type=float, metavar="D", help="tell D from zero in 80%% of studies; how many pairs"
    )
    target.add_argument("--pairs", type=count, metavar="N", help="so many pairs; says what they show")
    power.add_argument("--quantity", choices=QUANTITIES, default="gap", help="gap, or the kappa of judge or annotators")
    power.add_argument("--kappa-judge", type=float, default=0.50, metavar="K", help="of judge and annotator (0.50)")
    power.add_argument("--kappa-human", type=float, default=0.75, metavar="K", help="of two annotators (0.75)")
    power.add_argument("--annotators", type=count, default=2, metavar="N", help="annotators per pair (2)")
    power.add_argument("--dimensions", type=count, default=5, metavar="N", help="ratings per pair and rater (5)")
    power.add_argument(
        "--dimension-correlation", type=float, default=0.0, metavar="R", help="latent correlation of dimensions (0)"
    )
    power.add_argument("--marginals", metavar="LIST", help="shares of the scale's points (0.65,0.22,0.09,0.04)")
    power.add_argument("--design-factor", type=float, default=1.3, metavar="F", help="by which the SE is wider (1.3)")
    power.add_argument("--clusters", type=count, metavar="N", help="clusters that the pairs fall into (each its own)")
    power.add_argument(
        "--models", type=count, default=1, metavar="K", help="sign-flip tests that Holm corrects over (1)"
    )
    power.add_argument("--simulate", type=count, default=0, metavar="N", help="also by N simulated studies")
    power.add_argument("--seed", type=int, default=SEED, metavar="N", help="of what is simulated")
    power.add_argument("--json", action="store_true", help="print JSON")
    power.set_defaults(command=power_command)


def _add_simulate(commands: Commands) -> None:
    simulated = commands.add_parser("simulate", help="ratings, or a whole study, of which everything is known")
    kinds = simulated.add_subparsers(title="what to simulate", metavar="WHAT", required=True)
    _add_study(kinds)
    simulate = kinds.add_parser("ratings", help="ratings by simulated raters whose agreement is known")
    simulate.add_argument("spec", nargs="?", type=Path, metavar="SPEC", help="a TOML file instead of the options below")
    simulate.add_argument("--out", type=Path, required=True, metavar="FILE", help="a new CSV file")
    simulate.add_argument("--units", type=count, metavar="N", help="what is rated (300)")
    simulate.add_argument("--clusters", type=count, metavar="N", help="that the units fall into (60)")
    simulate.add_argument("--raters", type=count, metavar="N", help="how many (2)")
    simulate.add_argument("--kappa", type=float, metavar="K", help="of two raters without bias (0.75)")
    simulate.add_argument("--bias", type=float, metavar="B", help="the last rater's, in standard deviations (0)")
    simulate.add_argument("--side-effect", type=float, metavar="S", help="the last rater's: A first minus B first (0)")
    simulate.add_argument("--drift", type=float, metavar="D", help="the last rater's, from first to last unit (0)")
    simulate.add_argument("--unsure", type=float, metavar="P", help="share that each rater leaves empty (0)")
    simulate.add_argument("--icc", type=float, metavar="R", help="latent correlation within clusters (0)")
    simulate.add_argument("--seed", type=int, metavar="N", help="of the simulation")
    simulate.set_defaults(command=simulate_command)


def _add_study(kinds: Commands) -> None:
    study = kinds.add_parser("study", help="a sealed run of models and judges that nobody asked, with known numbers")
    study.add_argument("out", type=Path, metavar="OUT", help="a new folder, such as runs/simulated-study")
    study.add_argument("--spec", type=Path, metavar="FILE", help="a TOML file that declares what is true of it")
    study.add_argument("--models", type=count, metavar="N", help="the first N of the declared models alone")
    study.add_argument("--items", type=count, metavar="N", help="items in all, in the declared proportion of blocks")
    study.add_argument("--words", type=count, metavar="N", help="about the median length of a response")
    study.add_argument("--seed", type=int, metavar="N", help="of the simulation")
    study.add_argument("--data", type=Path, metavar="DIR", help="data folder (default: the project's)")
    study.set_defaults(command=simulate_study_command)


def power_command(options: argparse.Namespace) -> int:
    import json

    from polibias.analysis.power import Wanted, as_text, plan
    from polibias.stats.power import MARGINALS, Panel

    _check(options)
    panel = Panel(
        options.kappa_judge,
        options.kappa_human,
        MARGINALS if options.marginals is None else _shares(options.marginals),
        options.dimensions,
        options.annotators,
        options.dimension_correlation,
    )
    wanted = Wanted(
        options.quantity,
        options.pairs,
        inf if options.half_width is None else options.half_width,
        inf if options.detectable is None else options.detectable,
        options.design_factor,
        options.clusters,
        options.models,
        options.simulate,
        options.seed,
    )
    found = plan(panel, wanted)
    print(json.dumps(found.as_json(), indent=2) if options.json else as_text(found))
    return 0


def _check(options: argparse.Namespace) -> None:
    """Raise InputError for an option that no plan can have."""
    targets = {"--half-width": options.half_width, "--detectable": options.detectable}
    if options.pairs is None and set(targets.values()) == {None}:
        raise InputError("name a target: --half-width, --detectable or --pairs")
    for name, value in (*targets.items(), ("--design-factor", options.design_factor)):
        if value is not None and not (isfinite(value) and value > 0):
            raise InputError(f"{name} {value:g}: must be a positive number")
    if not 0 <= options.dimension_correlation <= 1:
        raise InputError(f"--dimension-correlation {options.dimension_correlation:g}: must lie between 0 and 1")
    _at_most("--annotators", options.annotators, MOST_ANNOTATORS)
    _at_most("--dimensions", options.dimensions, MOST_DIMENSIONS)
    _at_most("--simulate", options.simulate, MOST_STUDIES)
    if 0 < options.simulate < FEWEST_STUDIES:
        raise InputError(f"--simulate {options.simulate}: at least {FEWEST_STUDIES} simulated studies tell something")


def _at_most(name: str, value: int, most: int) -> None:
    if value > most:
        raise InputError(f"{name} {value}: at most {most:,}")


def _shares(text: str) -> tuple[float, ...]:
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise InputError(f"--marginals {text}: write shares that sum to 1, such as 0.65,0.22,0.09,0.04") from None


def simulate_command(options: argparse.Namespace) -> int:
    from polibias.analysis.power import ratings_csv, simulated_text
    from polibias.records.documents import write_file
    from polibias.simulate import recovered, simulate
    from polibias.sources.ratings import LARGEST

    _check_out(options.out)
    simulation = _simulation(options)
    if simulation.units * len(simulation.raters) > MOST_RATINGS:
        raise InputError(f"more than {MOST_RATINGS:,} ratings; simulate fewer units or raters")
    if max(map(abs, simulation.scale)) >= LARGEST:
        raise InputError(f"{options.spec}: `polibias agreement` reads no points of a scale beyond {LARGEST:g}")
    rows = simulate(simulation)
    write_file(options.out, ratings_csv(rows))
    print(simulated_text(simulation, rows, recovered(simulation, rows), options.out))
    return 0


def simulate_study_command(options: argparse.Namespace) -> int:
    from polibias.simulated.study import summary, write_study

    print(summary(write_study(_study_simulation(options), options.out, options.data)))
    return 0


def _study_simulation(options: argparse.Namespace) -> "StudySimulation":
    """What the file declares, or the default, with the options in place of what they name."""
    import msgspec

    from polibias.simulated.declaration import StudySimulation
    from polibias.sources.files import read_toml, readable

    declared = read_toml(options.spec, StudySimulation) if options.spec else StudySimulation()
    changes: dict[str, object] = {name: getattr(options, name) for name in ("words", "seed")}
    if options.models is not None:
        _at_most("--models", options.models, len(declared.models))
        changes["models"] = declared.models[: options.models]
    if options.items is not None:
        whole = declared.main + declared.control
        main = round(options.items * declared.main / whole) if whole else 0
        changes |= {"main": main, "control": options.items - main}
    own = {name: value for name, value in changes.items() if value is not None}
    try:
        return msgspec.convert(msgspec.to_builtins(declared) | msgspec.to_builtins(own), type=StudySimulation)
    except msgspec.ValidationError as error:
        raise InputError(f"this study cannot be simulated: {readable(str(error))}") from None


def _check_out(path: Path) -> None:
    if path.suffix.lower() != ".csv":
        raise InputError(f"--out {path}: name a file that ends in .csv")
    if path.exists() or path.is_symlink():
        raise InputError(f"{path}: this file is there already, and nothing is overwritten; name another")


def _simulation(options: argparse.Namespace) -> "Simulation":
    """What SPEC declares, or the options; not both."""
    from polibias.simulate import Simulation
    from polibias.sources.files import read_toml

    given = {name: value for name in DECLARED if (value := getattr(options, name)) is not None}
    if options.spec is None:
        return _declared({**DECLARED, **given})
    if given:
        names = ", ".join(f"--{name.replace('_', '-')}" for name in given)
        raise InputError(f"{options.spec}: declares everything itself; leave out {names}")
    return read_toml(options.spec, Simulation)


def _declared(values: dict[str, float]) -> "Simulation":
    """Raters of one reliability, the last of whom alone is biased."""
    import msgspec

    from polibias.simulate import PREFIX, Simulation
    from polibias.sources.files import readable

    raters = [{"name": f"{PREFIX}{number}"} for number in range(1, int(values["raters"]) + 1)]
    same = {"kappa": values["kappa"], "unsure": values["unsure"]}
    last = {"shift": values["bias"], "drift": values["drift"], "side": values["side_effect"]}
    declared = {
        **{name: values[name] for name in ("seed", "units", "clusters")},
        "cluster_correlation": values["icc"],
        "raters": [*({**rater, **same} for rater in raters[:-1]), {**raters[-1], **same, **last}],
    }
    try:
        return msgspec.convert(declared, type=Simulation)
    except msgspec.ValidationError as error:
        raise InputError(f"these raters cannot be simulated: {readable(str(error))}") from None
