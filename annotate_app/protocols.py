"""Reading annotation protocols: a file of the user's, or the one that ships for a kind of study."""

from pathlib import Path

import msgspec

from annotate_app.protocol import AnnotationProtocol
from annotate_app.questions import StudyKind
from polibias.errors import InputError
from polibias.sources.files import data_folder, read_toml

FOLDER = "annotation"
SHIPPED: dict[StudyKind, str] = {"pairs": "blind-pairs", "reidentification": "reidentification"}


def read_protocol(path: Path | None, kind: StudyKind, contact: str | None = None) -> AnnotationProtocol:
    """The protocol at `path`, or the shipped one of this kind; `contact` replaces whom to ask.

    Raises InputError if the file is no protocol of this kind, or if one of its reasons is named twice.
    """
    where = path or data_folder() / FOLDER / f"{SHIPPED[kind]}.toml"
    protocol = read_toml(where, AnnotationProtocol)
    if protocol.kind != kind:
        raise InputError(f"{where}: a protocol for {protocol.kind}; these items need one for {kind}")
    for name in ("skip", "unsure", "flag"):
        ids = [reason.id for reason in getattr(protocol.reasons, name)]
        if twice := next((one for one in ids if ids.count(one) > 1), ""):
            raise InputError(f"{where}: reasons.{name} has '{twice}' twice")
        texts = [" ".join(reason.text.split()) for reason in getattr(protocol.reasons, name)]
        if twice := next((one for one in texts if texts.count(one) > 1), ""):
            raise InputError(f"{where}: reasons.{name} says '{twice}' twice; a reader could not tell them apart")
    return msgspec.structs.replace(protocol, contact=contact) if contact else protocol
