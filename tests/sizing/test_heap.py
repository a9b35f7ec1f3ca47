"""The graph allocator on layouts that can be drawn on paper."""

from __future__ import annotations

from vramsite.sizing.heap import Heap, copied, drop, empty_heap, same_layout, take


def filled(*sizes: float) -> Heap:
    heap = empty_heap()
    for place, size in enumerate(sizes):
        take(heap, f"t{place}", size)
    return heap


def test_the_end_grows() -> None:
    heap = filled(10.0, 10.0, 20.0)
    assert heap.starts == [0.0, 10.0, 20.0]
    assert (heap.end, heap.peak) == (40.0, 40.0)


def test_smallest_hole_that_fits_is_taken() -> None:
    heap = filled(30.0, 10.0, 20.0, 10.0)
    drop(heap, "t0")
    drop(heap, "t2")
    take(heap, "new", 20.0)
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
    heap = empty_heap()
    take(heap, "x", 10.0)
    take(heap, "x", 20.0)
    drop(heap, "x")
    assert [name for name in heap.names if name] == ["x"]
    assert heap.hole_stops == [10.0]


def test_layouts_are_compared_without_what_is_gone() -> None:
    one = filled(10.0, 10.0)
    other = filled(10.0, 10.0, 50.0)
    drop(other, "t2")
    assert same_layout(copied(one), copied(other))
    drop(one, "t0")
    assert not same_layout(copied(one), copied(other))


def test_a_copy_is_a_layout_of_its_own() -> None:
    heap = filled(10.0, 20.0, 10.0)
    drop(heap, "t1")
    again = copied(heap)
    take(again, "new", 10.0)
    drop(again, "t0")
    assert (heap.hole_starts, heap.hole_stops) == ([10.0], [30.0])
    assert [name for name in heap.names if name] == ["t0", "t2"]
    assert again.peak == 40.0
