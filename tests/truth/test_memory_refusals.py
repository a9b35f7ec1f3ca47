"""What llama.cpp refuses or aborts on is refused here, and what it runs is not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from vramsite.catalog import Catalog, load_catalog
from vramsite.catalog.model_graph import model_graph
from vramsite.evidence.accounting import Accountant
from vramsite.evidence.rows import AccountingRow, read_rows
from vramsite.report.engine_settings import WORDS
from vramsite.sizing.errors import SizingError

DATA = Path(__file__).parents[2] / "data"


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load_catalog(DATA)


def rows() -> list[AccountingRow]:
    return list(read_rows(DATA / "evidence" / "llama_cpp_memory.csv").accounting)


def refusal(accountant: Accountant, row: AccountingRow) -> str:
    try:
        accountant.predict(row)
    except SizingError as error:
        return error.code
    return ""


def test_every_error_row_is_refused_in_words(catalog: Catalog) -> None:
    accountant = Accountant(catalog)
    codes = [refusal(accountant, row) for row in rows() if row.error]
    assert sorted(codes) == ["graph_too_large"] * 8 + ["mla_kv_types_differ"] * 7
    assert set(codes) <= set(WORDS)


def test_no_row_that_ran_is_refused(catalog: Catalog) -> None:
    accountant = Accountant(catalog)
    ran = [row for row in rows() if not row.error]
    # Phi-4's graph in 2,053 places: 2,064 nodes abort, 1,984 (one unified cache) do not
    near = [row for row in ran if row.model == "phi-4"]
    assert len(near) == 77
    assert [row for row in (*near, *ran[::40]) if refusal(accountant, row)] == []


def test_fewer_layers_leave_more_room(catalog: Catalog) -> None:
    """Phi-3-mini's and Phi-4-mini's 32 layers: 197 tensors, the same 2,053 places."""
    arch = catalog.architecture("phi-4")
    tensors = [
        replace(tensor, layers=[layer for layer in tensor.layers if layer < 32])
        for tensor in arch.tensors
    ]
    small = replace(arch, layer_count=32.0, layer_order=arch.layer_order[:32], tensors=tensors)
    graph = model_graph(small, DATA)
    assert graph is not None
    assert graph.overfull == []
