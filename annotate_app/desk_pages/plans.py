"""One plan of validation: what was fixed, how far it has come, its planned analysis and what that found."""

import re
from collections.abc import Sequence

import streamlit as st

from annotate_app.desk_analysis import Analysis, shared_analyst
from annotate_app.desk_findings import findings_of
from annotate_app.desk_pages.asked import asked_plans
from annotate_app.desk_pages.look import begin, figures, heading, loud, moment, quiet, refresh, text, track
from annotate_app.desk_pages.results import show_findings
from annotate_app.desk_plans import PlanStatus, prereg, shared_plans
from annotate_app.watch import Watched
from polibias.errors import InputError

CHOSEN, RUN = "plans.chosen", "plans.run"
EVERY = 1.0
"""Seconds between two looks at an analysis that runs."""

DEEPER = 2
"""A plan's own title stands below the page's title and the heading above it."""

STATES = {
    "drafted": "Drafted: no pair is drawn yet, and everything can still be changed.",
    "sampled": "Sampled: the pairs are drawn, but the plan is not locked.",
    "locked": "Locked: nothing of it is changed any more.",
    "reported": "Reported: the planned analysis was run.",
}
HEADING = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)")
FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")


def show(watched: Watched) -> None:
    """The plan that was chosen; first that of this project."""
    begin(f"{watched.project()}: plans")
    status = asked_plans()
    if status is None:
        return
    plans = status.plans
    refresh(f"{len(plans)} plan{'' if len(plans) == 1 else 's'} of validation.")
    if status.problems:
        loud(*status.problems)
    plan = _chosen(plans, watched.project())
    still_open = plan.project == watched.project() and watched.board().closed_at is None
    _standing(plan)
    _document(plan)
    heading(2, "The planned analysis")
    _analysis(plan, still_open)
    _findings(plan, still_open)


def _chosen(plans: Sequence[PlanStatus], project: str) -> PlanStatus:
    """What the browser sends is looked up among the plans; what is not among them is none."""
    own = next((at for at, plan in enumerate(plans) if plan.project == project), 0)
    titles = {plan.plan: f"{plan.title} ({plan.plan})" for plan in plans}
    name = st.selectbox("Plan", list(titles), index=own, format_func=lambda one: titles.get(one, one), key=CHOSEN)
    return next((plan for plan in plans if plan.plan == name), plans[own])


def _standing(plan: PlanStatus) -> None:
    heading(2, plan.title, plan.plan)
    text(*([plan.question] if plan.question else []), STATES.get(plan.state, plan.state))
    figures(_figures(plan))
    if plan.planned:
        track(plan.reached or 0, plan.planned)
    if plan.lock:
        text(
            f"Locked at {moment(plan.locked_at) or 'an unknown time'} UTC.",
            f"Fingerprint: {plan.lock}",
            f"Anchored outside: {'; '.join(plan.anchored)}" if plan.anchored else "Not anchored outside.",
        )
    if plan.problems:
        loud(*plan.problems)


def _figures(plan: PlanStatus) -> list[tuple[str, str, str]]:
    found = [("State", plan.state, "")]
    if plan.planned is not None:
        found.append(("Reached", reached(plan), f"of {plan.planned:,} planned"))
    elif plan.reached is not None:
        found.append(("Reached", f"{plan.reached:,}", ""))
    if plan.project:
        found.append(("Project", plan.project, ""))
    return found


def reached(plan: PlanStatus) -> str:
    """How much of what was planned is there; labels are counted once they are exported."""
    return "none" if plan.reached is None else f"{plan.reached:,}"


def _document(plan: PlanStatus) -> None:
    """The plan's own text. Its Markdown may hold no HTML, and no heading of it is above the page's."""
    if not plan.document:
        return
    title = "The plan as it was locked" if plan.locked else "The plan, not locked"
    with st.expander(title), st.container(key="document"):
        st.markdown(lower_headings(plan.document), unsafe_allow_html=False, anchors=False)


def lower_headings(document: str) -> str:
    """Markdown with its headings two levels deeper; what stands in a block of code is left."""
    lines, fence = [], ""
    for line in document.split("\n"):
        mark = FENCE.match(line)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence):
            fence = ""
        found = None if fence else HEADING.match(line)
        lines.append(f"{'#' * min(6, len(found[1]) + DEEPER)}{line[found.end() :]}" if found else line)
    return "\n".join(lines)


def _analysis(plan: PlanStatus, still_open: bool) -> None:
    """The button, or why it cannot be pressed, and the analysis that runs or ended last."""
    now = shared_analyst().now
    reason = why_not(plan, still_open, now)
    if st.button("Run the planned analysis", key=RUN, type="primary", disabled=bool(reason)) and not reason:
        _start(plan.plan)
    if now.running:
        _running()
        return
    if reason:
        text(reason)
    if now.plan == plan.plan and now.failed:
        loud(now.failed)
    elif now.plan == plan.plan:
        text(f"The analysis has ended. {now.said}".strip())


def why_not(plan: PlanStatus, still_open: bool, now: Analysis) -> str:
    """Why the planned analysis cannot be started, as one sentence; '' if it can."""
    if now.running:
        return f"The analysis of {now.plan} is running; one runs at a time."
    if not plan.locked:
        return "The analysis can be run once the plan is locked."
    if plan.planned is not None and (plan.reached or 0) < plan.planned:
        so_far = f"{reached(plan)} of {plan.planned:,} planned so far"
        return f"The analysis can be run once all is there: {so_far}. Labels count once the project was exported."
    if still_open:
        return f"The analysis can be run once {plan.project} is closed: polibias-annotate close {plan.project}"
    return ""


def _start(plan: str) -> None:
    """Start the analysis of a plan that the status lists, and draw the page again."""
    folders = shared_plans().folders
    shared_analyst().start(plan, prereg(["run", plan], folders), folders.start)
    st.rerun()


@st.fragment(run_every=EVERY)
def _running() -> None:
    """The analysis that runs, with its last line; the whole page is drawn anew once it has ended."""
    now = shared_analyst().now
    if not now.running:
        shared_plans().forget()
        st.rerun()
    with st.container(key="running"):
        text(f"The analysis of {now.plan} is running; one runs at a time.")
        quiet(now.said or "It has said nothing yet.")


def _findings(plan: PlanStatus, still_open: bool) -> None:
    """What the analysis found under this very lock, and never before the project is closed."""
    if still_open:
        return
    try:
        found = findings_of(plan, shared_plans().folders.start)
    except InputError as error:
        loud(str(error))
        return
    if found is not None:
        show_findings(found)
        if plan.report:
            quiet(f"The whole report: {plan.report}")
