"""Keeping to the pairs of a drawn sample, each in the stratum that it was drawn in."""

from pathlib import Path

from annotate_app.origins import Source
from polibias.errors import InputError
from polibias.records.samples import read_sample


def sampled(source: Source, path: Path) -> Source:
    """The source with the sample's pairs alone; first sides are then balanced within its strata.

    Raises InputError unless the sample was drawn from this very run and all its pairs can be annotated.
    """
    sample, _ = read_sample(path)
    if sample.manifest != source.manifest:
        raise InputError(
            f"{path}: was drawn from another state of a run than {source.name}; draw it anew from this one"
        )
    known = {(one.origin.pair, one.origin.model): one for one in source.materials}
    wanted = {(one.pair, one.model): one.stratum for one in sample.pairs}
    if lost := wanted.keys() - known.keys():
        raise InputError(f"{path}: {len(lost)} of its {len(wanted)} pairs cannot be annotated here; draw it anew")
    kept = [known[name]._replace(block=stratum) for name, stratum in wanted.items()]
    return source._replace(materials=kept)
