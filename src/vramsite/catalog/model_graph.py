"""The compute graph of a model of the catalog."""

from __future__ import annotations

from pathlib import Path

from vramsite.catalog.compute_graphs import load_graph_rules
from vramsite.catalog.graphs.making import graph_of
from vramsite.sizing.graph_records import ModelGraph
from vramsite.sizing.records import Architecture


def model_graph(arch: Architecture, data_dir: Path) -> ModelGraph | None:
    """The model's graph by data/llama_cpp_graphs.yaml, None where there is none."""
    rules = load_graph_rules(data_dir)
    return None if rules is None else graph_of(rules, arch)
