"""The rules for a model of one's own: the same whatever the process did before it wrote them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from vramsite.catalog import load_catalog
from vramsite.catalog.compute_graphs import load_graph_rules
from vramsite.catalog.graphs.rules import steps_of
from vramsite.report.sizer import Sizer
from vramsite.site.engine_js.data import SliceMaker, compact

DATA = Path(__file__).resolve().parents[2] / "data"


def test_programs_that_were_read_before_leave_no_trace() -> None:
    whole = load_catalog(DATA)
    catalog = replace(whole, models={"qwen3-8b": whole.models["qwen3-8b"]})
    maker = SliceMaker(catalog, Sizer(catalog).rules)
    load_graph_rules.cache_clear()
    before = compact(maker.own_rules())
    rules = load_graph_rules(catalog.data_dir)
    assert rules is not None
    for place in range(len(rules.programs)):
        assert steps_of(rules, float(place))
    assert compact(maker.own_rules()) == before
