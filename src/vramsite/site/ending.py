"""The end of a build inside the worker that made its plan: the new store, then the whole site."""

from __future__ import annotations

import pickle
import shutil
from collections import deque
from collections.abc import Iterator
from contextlib import closing
from itertools import chain
from pathlib import Path

from vramsite.site.finish import Whole, bring_facts_up_to_date, complete, keep, meta_of
from vramsite.site.inputs import Inputs
from vramsite.site.making import Made, Maker, read_made
from vramsite.site.publish import only_first, remove, sweep
from vramsite.site.store import Store, StoreWriter
from vramsite.site.writing import PARTS, Writer


def end_build(
    maker: Maker, last: Store | None, folder: Path, output: Writer, target: Path, inputs: str
) -> Whole:
    """Complete the site in ``folder`` and its store at ``target``.

    ``inputs`` is a file that holds the pickled `Inputs` of the build. ``last`` is the store whose
    pages lie in the folder already, apart from those that were made again.
    """
    with Path(inputs).open("rb") as file:
        read: Inputs = pickle.load(file)
    parts = folder / PARTS
    writer = StoreWriter.begin(target, last)
    answers = keep(writer, chain(_made(parts), [Made([], maker.answers())]))
    if last is not None and maker.verifier is not None:
        made_now = set(answers)
        writer.arrange(maker.places().get)
        writer.forget_answers(maker.verifier.doubtful(made_now))
        writer.collect()
    else:
        deque(answers, maxlen=0)
    shutil.rmtree(parts, ignore_errors=True)
    if maker.site.facts is not None:
        bring_facts_up_to_date(writer, maker.site.facts.digest)
    writer.set_inputs(read.files)
    writer.finish().close()
    context = maker.site.context
    kept = context.assets.to_keep()
    meta = meta_of(read, context.locales, kept, maker.site.facts is not None)
    whole = complete(target, output, context.urls, context.locales[0], meta)
    with closing(Store(target)) as done:
        if last is None:
            sweep(folder, done.names())
        else:
            remove(folder, only_first(last.names(), done.names()))
    return whole


def _made(parts: Path) -> Iterator[Made]:
    for path in sorted(parts.iterdir()) if parts.is_dir() else ():
        yield read_made(path)
