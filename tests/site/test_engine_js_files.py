"""The engine's files on the site: named after their content, written whole, the same each time."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from vramsite.site.engine_js import Compiled, compile_engine
from vramsite.site.engine_js.data import compact, slice_bytes
from vramsite.site.engine_js.files import EngineFiles
from vramsite.site.writing import FolderWriter


@dataclass(frozen=True, kw_only=True)
class MadeUp:
    name: str
    size: float = 1.5
    whole: float = 4096.0
    limit: float | None = None
    flag: bool = True
    parts: list[float] = field(default_factory=list)
    inner: list[MadeUp] = field(default_factory=list)


class MadeUpMaker:
    def __init__(self, size: float = 2.0) -> None:
        self.size = size
        self.catalog = SimpleNamespace(models=["alpha", "beta"], gpus=["small"])

    def rules(self) -> MadeUp:
        return MadeUp(name="rules")

    def own_rules(self) -> MadeUp:
        return MadeUp(name="own")

    def model(self, model_id: str) -> MadeUp:
        return MadeUp(name=model_id, size=self.size if model_id == "beta" else 1.0)

    def brief(self, model_id: str) -> MadeUp:
        return self.model(model_id)

    def device(self, gpu_id: str) -> MadeUp:
        return MadeUp(name=gpu_id)


def files(size: float = 2.0) -> EngineFiles:
    return EngineFiles(cast(Any, MadeUpMaker(size)))


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        (MadeUp(name="a"), {"name": "a"}),
        (MadeUp(name="a", size=2.0), {"name": "a", "size": 2}),
        (MadeUp(name="a", size=0.1), {"name": "a", "size": 0.1}),
        (MadeUp(name="a", limit=0.0), {"name": "a", "limit": 0}),
        (MadeUp(name="a", flag=False, parts=[1.0, 2.5]), {
            "name": "a", "flag": False, "parts": [1, 2.5],
        }),
        (MadeUp(name="a", inner=[MadeUp(name="b", size=3.0)]), {
            "name": "a", "inner": [{"name": "b", "size": 3}],
        }),
    ],
)  # fmt: skip
def test_records_travel_without_their_defaults(record: MadeUp, expected: object) -> None:
    assert compact(record) == expected


def test_fields_travel_under_the_names_that_the_module_has_for_them() -> None:
    module = Compiled("", {"size": "s", "inner": "i"}, frozenset({"whole"}))
    record = MadeUp(name="a", whole=1.0, inner=[MadeUp(name="b", size=3.0)])
    content = slice_bytes(record, module)
    assert json.loads(content) == {"name": "a", "i": [{"name": "b", "s": 3}]}


@pytest.mark.parametrize("value", [0.1, 1e22, 2.0**53, -0.0, 1e-300, 123456789.123])
def test_numbers_keep_every_bit(value: float) -> None:
    read = json.loads(slice_bytes(MadeUp(name="a", size=value), Compiled("", {})))["size"]
    assert float(read).hex() == value.hex()


@pytest.mark.parametrize("value", [float("inf"), float("nan"), {"a": 1.0}, (1.0,), 1j])
def test_what_json_cannot_hold_is_refused(value: Any) -> None:
    with pytest.raises(TypeError, match="cannot travel"):
        compact(MadeUp(name="a", size=value))


def test_addresses_change_with_the_content_alone() -> None:
    one, other = files(2.0), files(3.0)
    assert one.model("alpha") == other.model("alpha")
    assert one.model("beta") != other.model("beta")
    assert one.rules() == other.rules()


def test_all_models_are_one_list_in_the_order_of_the_catalog(tmp_path: Path) -> None:
    made = files()
    made.write(FolderWriter(tmp_path))
    listed = json.loads((tmp_path / made.all_models()).read_text())
    assert listed == [
        json.loads((tmp_path / made.model(name)).read_text()) for name in ("alpha", "beta")
    ]


def test_everything_is_written_under_its_address(tmp_path: Path) -> None:
    made = files()
    made.model("beta")
    made.write(FolderWriter(tmp_path))
    found = {
        path.relative_to(tmp_path).as_posix(): path.read_bytes()
        for path in tmp_path.rglob("*")
        if path.is_file()
    }
    assert set(found) == set(files().addresses())
    assert found[made.engine()].decode() == compile_engine().text
    assert json.loads(found[made.device("small")]) == {"name": "small"}
