"""A small builder for the tensor list of an architecture, in GGUF names and shapes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from vramsite.sizing.records import Tensor


@dataclass(slots=True, kw_only=True)
class TensorList:
    """Collects tensors; matrices are quantised by recipe, vectors stay F32 as converters write."""

    tensors: list[Tensor] = field(default_factory=list)

    def matrix(
        self,
        role: str,
        tensor_class: str,
        row_width: float,
        rows: float,
        *,
        experts: float = 1.0,
        layers: Iterable[float] = (),
        in_checkpoint: bool = True,
        in_gguf: bool = True,
        loaded: bool = True,
        fixed_type: str = "",
    ) -> None:
        """Add a matrix (or one per layer; stacked `experts` deep)."""
        self.tensors.append(
            Tensor(
                role=role,
                tensor_class=tensor_class,
                row_width=row_width,
                rows=rows,
                experts=experts,
                layers=[float(layer) for layer in layers],
                in_checkpoint=in_checkpoint,
                in_gguf=in_gguf,
                loaded=loaded,
                fixed_type=fixed_type,
            )
        )

    def vector(
        self,
        role: str,
        tensor_class: str,
        width: float,
        *,
        layers: Iterable[float] = (),
        in_checkpoint: bool = True,
        in_gguf: bool = True,
        loaded: bool = True,
    ) -> None:
        """Add a vector (norm, bias, per-head scalar): F32 in every GGUF."""
        self.matrix(
            role,
            tensor_class,
            width,
            1.0,
            layers=layers,
            in_checkpoint=in_checkpoint,
            in_gguf=in_gguf,
            loaded=loaded,
            fixed_type="F32",
        )

    def last_converted_f32(self) -> None:
        """Mark the tensor added last as one that is F32 in the converted file, then quantised."""
        last = len(self.tensors) - 1
        self.tensors[last] = replace(self.tensors[last], converted_type="F32")
