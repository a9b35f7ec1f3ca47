from __future__ import annotations

import pytest
from made_up_report import made_up_book

from vramsite.report import book as book_module


def test_what_grows_with_the_pairs_has_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    book = made_up_book()
    asked = [(model, gpu) for model in book.catalog.models for gpu in book.catalog.gpus]
    first = {pair: book.summary(*pair) for pair in asked}
    book.forget_pairs()
    assert all(book.summary(*pair) is found for pair, found in first.items())
    monkeypatch.setattr(book_module, "_MOST_KEPT", len(asked) - 1)
    book.forget_pairs()
    again = book.summary(*asked[0])
    assert again is not first[asked[0]]
    assert again == first[asked[0]]
