"""The allocator of the graph's tensors, as ggml places them in a compute buffer.

Best fit among the holes (the last of equal ones), else the end grows; a freed tensor joins the
holes beside it. The buffer is as large as the end ever was. Source: ggml, ggml-alloc.c.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True, kw_only=True)
class Heap:
    """Holes in order of address; tensors in order of birth, "" for one that is gone. Bytes."""

    before: list[str]  # names of the first tensors, those that the layout was copied with
    hole_starts: list[float]
    hole_stops: list[float]
    names: list[str]
    starts: list[float]
    stops: list[float]
    end: float
    peak: float


def empty_heap() -> Heap:
    """A buffer with nothing in it."""
    return Heap(
        before=[], hole_starts=[], hole_stops=[], names=[], starts=[], stops=[], end=0.0, peak=0.0
    )


def copied(heap: Heap) -> Heap:
    """The layout as it is now, without the tensors that are gone; its peak is its end."""
    live = [place for place in range(len(heap.names)) if heap.names[place] != ""]
    names = [heap.names[place] for place in live]
    return Heap(
        before=[name for name in names],  # noqa: C416
        hole_starts=[start for start in heap.hole_starts],  # noqa: C416
        hole_stops=[stop for stop in heap.hole_stops],  # noqa: C416
        names=names,
        starts=[heap.starts[place] for place in live],
        stops=[heap.stops[place] for place in live],
        end=heap.end,
        peak=heap.end,
    )


def take(heap: Heap, name: str, size_bytes: float) -> None:
    """Place a tensor (of an aligned size). A name may live twice: an older tensor beside it."""
    starts = heap.hole_starts
    stops = heap.hole_stops
    best = -1
    least = 0.0
    for place in range(len(starts)):
        hole = stops[place] - starts[place]
        if hole >= size_bytes and (best < 0 or hole <= least):
            best = place
            least = hole
    start = heap.end
    stop = start + size_bytes
    if best >= 0:
        start = starts[best]
        stop = start + size_bytes
        starts[best] = stop
        if least == size_bytes:
            _forget_hole(heap, best)
    else:
        heap.end = stop
        if stop > heap.peak:
            heap.peak = stop
    heap.names.append(name)
    heap.starts.append(start)
    heap.stops.append(stop)


def drop(heap: Heap, name: str) -> None:
    """Free the oldest tensor of that name, if one lives."""
    free(heap, oldest(heap, name))


def free(heap: Heap, at: int) -> None:
    """Free a tensor, given its place; -1: none."""
    if at < 0:
        return
    if at < len(heap.before):
        heap.before[at] = ""
    heap.names[at] = ""
    starts = heap.hole_starts
    stops = heap.hole_stops
    start = heap.starts[at]
    stop = heap.stops[at]
    holes = len(starts)
    after = 0  # the first hole above it
    while after < holes and starts[after] < start:
        after = after + 1
    below = after > 0 and stops[after - 1] == start
    if stop == heap.end:
        heap.end = start
        if below:
            heap.end = starts[after - 1]
            _forget_hole(heap, after - 1)
    elif after < holes and starts[after] == stop:
        starts[after] = start
        if below:
            starts[after] = starts[after - 1]
            _forget_hole(heap, after - 1)
    elif below:
        stops[after - 1] = stop
    elif start < stop:
        starts.append(start)
        stops.append(stop)
        while holes > after:
            starts[holes] = starts[holes - 1]
            stops[holes] = stops[holes - 1]
            holes = holes - 1
        starts[after] = start
        stops[after] = stop


def _forget_hole(heap: Heap, hole: int) -> None:
    """Those above it move down."""
    starts = heap.hole_starts
    stops = heap.hole_stops
    place = hole + 1
    while place < len(starts):
        starts[place - 1] = starts[place]
        stops[place - 1] = stops[place]
        place = place + 1
    starts.pop()
    stops.pop()


def rename(heap: Heap, at: int, name: str) -> None:
    """Give a tensor another name, given its place; -1: none."""
    if at >= 0:
        heap.names[at] = name
        if at < len(heap.before):
            heap.before[at] = name


def oldest(heap: Heap, name: str) -> int:
    """Place of the oldest tensor of that name, -1 where none lives."""
    place = 0 if name in heap.before else len(heap.before)
    while place < len(heap.names):
        if heap.names[place] == name:
            return place
        place = place + 1
    return -1


def same_layout(one: Heap, other: Heap) -> bool:
    """Whether two layouts without gone tensors place all that follows alike.

    What lives says where the holes are.
    """
    same = len(one.starts) == len(other.starts)
    place = 0
    while same and place < len(one.starts):
        same = one.starts[place] == other.starts[place] and one.stops[place] == other.stops[place]
        same = same and one.names[place] == other.names[place]
        place = place + 1
    return same
