"""The graph allocator on layouts that can be drawn on paper."""

from __future__ import annotations

from vramsite.sizing.heap import Heap, drop, empty_heap, same_layout, snapshot, take


def filled(*sizes: float) -> Heap:
    heap = empty_heap(10.0)
    for place, size in enumerate(sizes):
        take(heap, f"t{place}", size)
    return heap


def test_sizes_are_aligned_and_end_grows() -> None:
    heap = filled(1.0, 10.0, 11.0)
    assert heap.starts == [0.0, 10.0, 20.0]
    assert (heap.end, heap.peak) == (40.0, 40.0)


def test_smallest_hole_that_fits_is_taken() -> None:
    heap = filled(30.0, 10.0, 20.0, 10.0)
    drop(heap, "t0")
    drop(heap, "t2")
    take(heap, "new", 15.0)
    assert heap.starts[-1] == 40.0
    assert heap.hole_starts == [0.0]
    assert heap.end == 70.0


def test_the_last_of_equal_holes_is_taken() -> None:
    heap = filled(20.0, 10.0, 20.0, 10.0)
    drop(heap, "t0")
    drop(heap, "t2")
    take(heap, "new", 20.0)
    assert heap.starts[-1] == 30.0


def test_holes_side_by_side_become_one() -> None:
    heap = filled(10.0, 10.0, 10.0, 10.0)
    drop(heap, "t0")
    drop(heap, "t2")
    drop(heap, "t1")
    assert (heap.hole_starts, heap.hole_stops) == ([0.0], [30.0])
    take(heap, "new", 30.0)
    assert heap.starts[-1] == 0.0


def test_freeing_the_last_tensor_moves_the_end_back_past_holes() -> None:
    heap = filled(10.0, 10.0, 10.0)
    drop(heap, "t1")
    drop(heap, "t2")
    assert (heap.end, heap.peak) == (10.0, 30.0)
    assert heap.hole_starts == []


def test_the_oldest_of_a_name_goes_first() -> None:
    heap = empty_heap(10.0)
    take(heap, "x", 10.0)
    take(heap, "x", 20.0)
    drop(heap, "x")
    assert [name for name in heap.names if name] == ["x"]
    assert heap.hole_stops == [10.0]


def test_layouts_are_compared_without_what_is_gone() -> None:
    one = filled(10.0, 10.0)
    other = filled(10.0, 10.0, 50.0)
    drop(other, "t2")
    assert same_layout(snapshot(one), snapshot(other))
    drop(one, "t0")
    assert not same_layout(snapshot(one), snapshot(other))
