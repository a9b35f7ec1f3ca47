from __future__ import annotations

from typing import Any, cast

import pytest
from made_up_site import MadeUpCatalog, MadeUpKind, MadeUpModel

from vramsite.site.pages import PageKey
from vramsite.site.plan import PlanError, check_addresses, make_plan, shard
from vramsite.site.urls import Urls

URLS = Urls.from_base_url("https://example.org/")
KINDS = {name: MadeUpKind(name) for name in ("home", "model", "pair")}


def catalog(*models: str) -> Any:
    return cast(Any, MadeUpCatalog(models=dict.fromkeys(models, MadeUpModel(1.0))))


def test_a_model_and_its_pairs_are_one_chunk() -> None:
    plan = make_plan(KINDS, catalog("beta", "alpha"))
    assert [chunk.index for chunk in plan] == [0, 1, 2]
    assert [{key.ids[:1] for key in chunk.keys} for chunk in plan] == [
        {("alpha",)},
        {("beta",)},
        {()},
    ]
    assert len(plan[0].keys) == 3  # the model and two devices


def test_the_order_of_the_catalog_does_not_matter() -> None:
    assert make_plan(KINDS, catalog("b", "a")) == make_plan(KINDS, catalog("a", "b"))


def test_shards_are_the_whole() -> None:
    plan = make_plan(KINDS, catalog("a", "b", "c", "d"))
    shards = [shard(plan, f"{part}/3") for part in (1, 2, 3)]
    assert sorted(chunk.index for part in shards for chunk in part) == list(range(len(plan)))


@pytest.mark.parametrize("spec", ["0/2", "3/2", "1", "a/b", "1/0", ""])
def test_bad_shards(spec: str) -> None:
    with pytest.raises(PlanError):
        shard([], spec)


def test_addresses_must_differ_by_more_than_case() -> None:
    class Twice(MadeUpKind):
        def keys(self, catalog: Any) -> list[PageKey]:
            return [PageKey("home"), PageKey("home")]

    kinds = {"home": Twice("home")}
    plan = make_plan(kinds, catalog())
    with pytest.raises(PlanError, match="share the address"):
        check_addresses(plan, kinds, URLS, ("en", "de"))
    check_addresses(make_plan(KINDS, catalog("a")), KINDS, URLS, ("en", "de"))
