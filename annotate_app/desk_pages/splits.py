"""The sets of every plan's pairs: sizes, states, dates and hashes. What is in a set is never here."""

from html import escape

from annotate_app.desk_pages.asked import asked_plans
from annotate_app.desk_pages.look import Column, begin, fingerprint, heading, loud, refresh, table, text, when
from annotate_app.desk_plans import HeldOut, PairSet, PlanStatus
from annotate_app.watch import Watched

COLUMNS = (
    Column("Set"),
    Column("Pairs", number=True),
    Column("State"),
    Column("Date (UTC)", wide=True),
    Column("Hash", wide=True),
)


def show(watched: Watched) -> None:
    """Every plan with its sets, and how far its held-out pairs were used."""
    begin(f"{watched.project()}: splits")
    status = asked_plans()
    if status is None:
        return
    refresh(_summary(status.plans))
    for plan in status.plans:
        _plan(plan)


def _summary(plans: tuple[PlanStatus, ...]) -> str:
    drawn = sum(1 for plan in plans if plan.sets)
    return f"{len(plans)} plan{'' if len(plans) == 1 else 's'}, {drawn} with pairs that are drawn."


def _plan(plan: PlanStatus) -> None:
    heading(2, plan.title, plan.plan)
    if plan.held_out is not None:
        if plan.held_out.openings > 1:
            loud(opened_again(plan.held_out.openings))
        text(f"Held out: {held_out(plan.held_out)}. Opened {times(plan.held_out.openings)}.")
    if plan.sets:
        table(f"Sets of {plan.plan}", COLUMNS, map(_row, plan.sets))
    else:
        text("No pair is drawn yet.")


def held_out(state: HeldOut) -> str:
    """How far the use of the held-out pairs has come."""
    if state.state == "calibrating":
        return f"calibrating, round {state.round} of {state.rounds}"
    return state.state


def opened_again(openings: int) -> str:
    """What a further opening means."""
    return (
        f"The held-out set was opened {times(openings)}. Only what was found at the first opening is a held-out result."
    )


def times(number: int) -> str:
    """`never`, `once`, `3 times`."""
    return {0: "never", 1: "once"}.get(number, f"{number} times")


def _row(one: PairSet) -> list[str]:
    return [
        escape(one.name),
        f"{one.pairs:,}",
        escape(one.state) or "–",
        when(one.at) if one.at else "–",
        fingerprint(one.hash),
    ]
