"""What a model's own page says: its default device's figures, and where it runs."""

from __future__ import annotations

from dataclasses import dataclass

from vramsite.report.book import WITH_RESERVE, Book
from vramsite.report.device_classes import (
    ClassRow,
    SpeedPoint,
    device_classes,
    speed_over_context,
)
from vramsite.report.every_device import EveryDevice, every_device
from vramsite.report.families import Family, Sibling, family_of, siblings
from vramsite.report.layers_view import LayersView, layers_view
from vramsite.report.pair import PairView, pair_view
from vramsite.report.quality import Quality, quality
from vramsite.report.recommend import default_device

SHOWN_SOURCES = 40


@dataclass(frozen=True, slots=True)
class FileRow:
    """A published weight file; `exact` is False where the size was printed rounded."""

    format: str
    bytes: float
    exact: bool
    repo: str | None
    variant: bool


@dataclass(frozen=True, slots=True)
class ModelView:
    """Everything on a model page; `holds` is False where no single device holds it."""

    pair: PairView
    holds: bool
    devices: EveryDevice
    files: list[FileRow]
    quality: Quality
    layers: LayersView
    classes: list[ClassRow]
    speeds: list[SpeedPoint]
    family: Family
    siblings: list[Sibling]
    sources: list[tuple[str, str]]


def model_view(book: Book, model_id: str) -> ModelView:
    """The page of one model."""
    model = book.catalog.models[model_id]
    chosen = default_device(book, model_id)
    files = [
        FileRow(file.format, float(file.bytes), file.exact, file.repo, file.kind != "model")
        for file in model.files
    ]
    files.sort(key=lambda file: (-file.bytes, file.format))
    return ModelView(
        pair=pair_view(book, model_id, chosen),
        holds=book.summary(model_id, chosen).verdict in WITH_RESERVE,
        devices=every_device(book, model_id),
        files=files,
        quality=quality(book, model_id),
        layers=layers_view(book.catalog.architecture(model_id)),
        classes=device_classes(book, model_id),
        speeds=speed_over_context(book, model_id, chosen),
        family=family_of(book, model_id),
        siblings=siblings(book, model_id),
        sources=sorted(model.sources.items())[:SHOWN_SOURCES],
    )
