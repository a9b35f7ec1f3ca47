from __future__ import annotations

import sys
from itertools import combinations
from typing import Any, cast

import pytest
from made_up_site import KINDS, MadeUpCatalog, MadeUpModel, MadeUpSingle

from vramsite.site.making import Places, unit_of
from vramsite.site.pages import PageKey
from vramsite.site.plan import Chunk, PlanError, check_addresses, make_plan, shard
from vramsite.site.urls import PATTERNS, UrlError, Urls

URLS = Urls.from_base_url("https://example.org/")
BY_NAME = {kind.name: kind for kind in KINDS if kind.name != "root"}
LOCALES = ("en", "de")


def catalog(*models: str, devices: int = 2) -> Any:
    gpus = {f"gpu-{number}": 8.0 for number in range(devices)}
    return cast(Any, MadeUpCatalog(models=dict.fromkeys(models, MadeUpModel(1.0)), gpus=gpus))


def plan_of(*models: str, devices: int = 2) -> list[Chunk]:
    return make_plan(BY_NAME, catalog(*models, devices=devices), LOCALES)


def test_a_model_and_its_pairs_are_one_chunk() -> None:
    plan = plan_of("beta", "alpha")
    assert [chunk.index for chunk in plan] == [0, 1, 2]
    assert [{key.ids[:1] for key in chunk.page_keys()} for chunk in plan] == [
        {("alpha",)},
        {("beta",)},
        {()},
    ]
    assert len(plan[0]) == 3  # the model and two devices
    assert [chunk.pages for chunk in plan] == [6, 6, 2]  # in two languages


def test_the_order_of_the_catalog_does_not_matter() -> None:
    assert plan_of("b", "a") == plan_of("a", "b")


def test_shards_are_the_whole() -> None:
    plan = plan_of("a", "b", "c", "d")
    shards = [shard(plan, f"{part}/3") for part in (1, 2, 3)]
    assert sorted(chunk.index for part in shards for chunk in part) == list(range(len(plan)))


@pytest.mark.parametrize("spec", ["0/2", "3/2", "1", "a/b", "1/0", ""])
def test_bad_shards(spec: str) -> None:
    with pytest.raises(PlanError):
        shard([], spec)


def test_no_page_has_the_address_of_another() -> None:
    class Twice(MadeUpSingle):
        def keys(self, catalog: Any) -> list[PageKey]:
            return [PageKey("home"), PageKey("home")]

    check_addresses(plan_of("a", "b"), URLS)
    twice = make_plan({"home": Twice("home")}, catalog(), LOCALES)
    with pytest.raises(PlanError, match="share their address"):
        check_addresses(twice, URLS)


def test_ids_are_looked_at_once() -> None:
    one, other = plan_of("a", "b")[:2]
    with pytest.raises(PlanError, match="share their address"):
        check_addresses([one, other, one], URLS)
    doubled = Chunk(0, ("a",), (*one.rest, one.rest[0]), 8)
    with pytest.raises(PlanError, match="share their address"):
        check_addresses([doubled], URLS)
    for bad in ("A", "a/b", ""):
        with pytest.raises(UrlError):
            check_addresses(plan_of(bad), URLS)


def test_no_two_patterns_give_the_same_address() -> None:
    """Ids and locales may be any text without a slash; "x" in both stands for the likeliest."""
    for first, second in combinations(PATTERNS.values(), 2):
        one, other = (pattern.split("/") for pattern in (first, second))
        assert len(one) != len(other) or any(
            (not ("{" in a or "{" in b) and a != b)
            or (("{" in a) != ("{" in b) and not _could_be(a, b))
            for a, b in zip(one, other, strict=True)
        ), f"{first} and {second} may give the same address"


def _could_be(one: str, other: str) -> bool:
    """Whether a pattern of one segment can give the other, which is plain text."""
    pattern, plain = (one, other) if "{" in one else (other, one)
    end = pattern.rpartition("}")[2]
    taken = {"models", "devices", "vendors", "families", "every-device", "share", "badges", "api"}
    locale = pattern == "{locale}"
    return plain != "" and plain.endswith(end) and not (locale and plain in taken)


def test_a_plan_grows_with_models_and_devices_not_with_pairs() -> None:
    models = [f"m-{number}" for number in range(200)]
    plan = plan_of(*models, devices=300)
    assert sum(chunk.pages for chunk in plan) == 2 * (200 * 301 + 1)
    own = sum(map(sys.getsizeof, plan)) + sum(sys.getsizeof(chunk.model) for chunk in plan)
    rests = {id(chunk.rest): sys.getsizeof(chunk.rest) for chunk in plan}
    assert len(rests) == 2  # one for all models, one for the other pages
    assert own + sum(rests.values()) < 60 * 1024


def test_every_unit_has_its_place_in_the_order_of_the_plan() -> None:
    plan = plan_of("b", "a")
    places = Places(plan)
    units = [unit_of(key) for chunk in plan for key in chunk.page_keys()]
    found = [places.get(unit) for unit in units]
    assert found == sorted(cast(list[int], found))
    assert len(set(found)) == len(units) == 7
    for gone in (("pair", "c", "gpu-0"), ("pair", "a", "gpu-9"), ("model",), ("", "end")):
        assert places.get(gone) is None
