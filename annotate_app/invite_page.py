"""The annotators' door: `/invite#TOKEN`, where a personal link becomes a visit."""

from functools import partial

from annotate_app.access import VISIT_DAYS, cookie_name, redeem
from annotate_app.door import Door, Pass, Words
from annotate_app.store import Store

PATH = "/invite"
WORDS = Words(
    title="Annotation",
    welcome="""<p>You have been invited to compare texts. This link is yours alone: please do not pass it on.</p>
<p>Your answers are saved as you give them. You can stop at any time and come back through this link.</p>""",
    incomplete="The link is incomplete. Please open the whole link from your invitation.",
    unknown="""<p>This link is not valid, or a newer one has replaced it.
Please ask your coordinator for a new link.</p>""",
)


def invite_door(store: Store, proxied: bool = False) -> Door:
    """The door through which a project's annotators come in."""
    card = Pass(cookie_name(store, secure=False), cookie_name(store, secure=True), VISIT_DAYS * 24 * 3600)
    return Door(PATH, WORDS, card, partial(redeem, store), proxied)
