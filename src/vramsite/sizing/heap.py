"""The allocator of the graph's tensors, as ggml places them in a compute buffer.

Best fit among the holes (the last of equal ones), else the end grows; a freed tensor joins the
holes beside it. The buffer is as large as the end ever was. Source: ggml, ggml-alloc.c.
"""

from __future__ import annotations

from dataclasses import dataclass

from vramsite.sizing.numeric import ceil_to


@dataclass(slots=True, kw_only=True)
class Heap:
    """Holes in order of address; tensors in order of birth, "" for one that is gone. Bytes."""

    alignment_bytes: float
    hole_starts: list[float]
    hole_stops: list[float]
    names: list[str]
    starts: list[float]
    stops: list[float]
    end: float
    peak: float


def empty_heap(alignment_bytes: float) -> Heap:
    """A buffer with nothing in it."""
    return Heap(
        alignment_bytes=alignment_bytes,
        hole_starts=[],
        hole_stops=[],
        names=[],
        starts=[],
        stops=[],
        end=0.0,
        peak=0.0,
    )


def snapshot(heap: Heap) -> Heap:
    """The layout as it is now, without the tensors that are gone."""
    live = [place for place in range(len(heap.names)) if heap.names[place] != ""]
    return Heap(
        alignment_bytes=heap.alignment_bytes,
        hole_starts=heap.hole_starts,
        hole_stops=heap.hole_stops,
        names=[heap.names[place] for place in live],
        starts=[heap.starts[place] for place in live],
        stops=[heap.stops[place] for place in live],
        end=heap.end,
        peak=heap.peak,
    )


def take(heap: Heap, name: str, size_bytes: float) -> None:
    """Place a tensor. A name may live twice: an older layer's tensor beside a newer one's."""
    size = ceil_to(size_bytes, heap.alignment_bytes)
    best = -1
    least = 0.0
    for place in range(len(heap.hole_starts)):
        hole = heap.hole_stops[place] - heap.hole_starts[place]
        if hole >= size and (best < 0 or hole <= least):
            best = place
            least = hole
    start = heap.end
    if best < 0:
        heap.end = start + size
        heap.peak = max(heap.peak, heap.end)
    else:
        start = heap.hole_starts[best]
        _set_hole(heap, start, start + least, start + size)
    heap.names.append(name)
    heap.starts.append(start)
    heap.stops.append(start + size)


def drop(heap: Heap, name: str) -> None:
    """Free the oldest tensor of that name, if one lives."""
    at = oldest(heap, name)
    if at >= 0:
        heap.names[at] = ""
        start = heap.starts[at]
        stop = heap.stops[at]
        for place in range(len(heap.hole_starts)):
            if heap.hole_stops[place] == start:
                start = heap.hole_starts[place]
            elif heap.hole_starts[place] == stop:
                stop = heap.hole_stops[place]
        if stop == heap.end:
            heap.end = start
            _set_hole(heap, start, stop, stop)
        else:
            _set_hole(heap, start, stop, start)


def _set_hole(heap: Heap, start: float, stop: float, new_start: float) -> None:
    """Between these two there is only one hole, from `new_start` on; none where that is `stop`."""
    hole_starts = []
    hole_stops = []
    placed = new_start == stop
    for place in range(len(heap.hole_starts)):
        if not placed and heap.hole_starts[place] >= start:
            hole_starts.append(new_start)
            hole_stops.append(stop)
            placed = True
        if heap.hole_starts[place] < start or heap.hole_starts[place] >= stop:
            hole_starts.append(heap.hole_starts[place])
            hole_stops.append(heap.hole_stops[place])
    if not placed:
        hole_starts.append(new_start)
        hole_stops.append(stop)
    heap.hole_starts = hole_starts
    heap.hole_stops = hole_stops


def oldest(heap: Heap, name: str) -> int:
    """Place of the oldest tensor of that name, -1 where none lives."""
    for place in range(len(heap.names)):
        if heap.names[place] == name:
            return place
    return -1


def same_layout(one: Heap, other: Heap) -> bool:
    """Whether two snapshots place everything that follows alike (their peaks may differ)."""
    same = one.end == other.end and len(one.starts) == len(other.starts)
    if not same or len(one.hole_starts) != len(other.hole_starts):
        return False
    for place in range(len(one.hole_starts)):
        same = same and one.hole_starts[place] == other.hole_starts[place]
        same = same and one.hole_stops[place] == other.hole_stops[place]
    for place in range(len(one.starts)):
        same = same and one.starts[place] == other.starts[place]
        same = same and one.names[place] == other.names[place]
    return same
