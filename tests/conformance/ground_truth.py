"""What the comparisons stand on: the real catalog, its slices, and what Python answers."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cases import Case, CaseMaker, changed
from flatten import line

from vramsite.catalog import Catalog
from vramsite.site.engine_js.data import SliceMaker
from vramsite.sizing.answer import ModelFacts, SharedRules, answer, loaded_file, weights_of
from vramsite.sizing.engine import ModelFile
from vramsite.sizing.errors import SizingError

ROOT = Path(__file__).resolve().parents[2]
WHOLE_EVERY = 7  # every so many cases the parts of the answer are compared too


@dataclass(slots=True)
class Ground:
    """What the comparisons stand on."""

    catalog: Catalog
    maker: SliceMaker
    rules: SharedRules
    folder: Path

    def cases(self, count: int) -> list[Case]:
        """Cases as both sides get them; written for JavaScript into the folder."""
        found = list(CaseMaker(self.catalog, self.maker, self.rules).cases(count))
        text = {"cases": [case.json() for case in found], "wholeEvery": WHOLE_EVERY}
        (self.folder / "cases.json").write_text(json.dumps(text), encoding="utf-8")
        return found

    def answers(self, cases: list[Case]) -> list[str]:
        """What Python says, one line a case."""
        models: dict[str, ModelFacts] = {}
        files: dict[tuple[str, str, bool], ModelFile] = {}
        lines = []
        for place, case in enumerate(cases):
            model = models.get(case.model_id)
            if model is None:
                model = models[case.model_id] = self.maker.model(case.model_id)
            settings = case.settings
            key = (case.model_id, settings.format, settings.imatrix)
            try:
                file = files.get(key)
                if file is None:
                    file = weights_of(self.rules, model, settings.format, settings.imatrix)
                    files[key] = file
                whole = loaded_file(self.rules, file, settings)
                device = changed(self.maker.device(case.gpu_id), case.variant)
                values: list[Any] = [answer(self.rules, model, whole, device)]
                if place % WHOLE_EVERY == 0:
                    values += [whole.memory, whole.cache, whole.work, file.weights]
            except SizingError as error:
                values = [error.code]
            lines.append(line(values))
        return lines
