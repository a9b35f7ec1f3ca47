"""The site built by a cluster is the site built here, whatever happens to a worker."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from vramsite.site.build import build_site
from vramsite.site.cluster import ClusterError, UrlWriter, build_on_cluster
from vramsite.site.manifest import differences
from vramsite.site.spec import BuildSpec

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")


@contextmanager
def cluster(**options: Any) -> Iterator[Any]:
    from distributed import LocalCluster

    start: Any = LocalCluster  # untyped
    with start(
        n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50, **options
    ) as found:
        yield found


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_a_worker_that_dies_midway_costs_nothing(
    project: BuildSpec, output: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build_site(project, tmp_path / "here", jobs=0)
    died = tmp_path / "died"
    monkeypatch.setenv("MADE_UP_SITE", f"die once:{died}")
    with cluster(processes=True) as workers:
        build_on_cluster(project, workers.scheduler_address, output.as_uri())
    assert died.exists()
    assert contents(output) == contents(tmp_path / "here")
    assert differences(output) == []


def test_the_output_is_wherever_fsspec_writes(project: BuildSpec, tmp_path: Path) -> None:
    import fsspec

    build_site(project, tmp_path / "here", jobs=0)
    memory = fsspec.filesystem("memory")
    memory.pipe_file("/site/stale.html", b"of an older build")
    with cluster(processes=False) as workers:
        with pytest.raises(ClusterError, match="no build of this site made"):
            build_on_cluster(project, workers.scheduler_address, "memory://site")
        UrlWriter("memory://site").write(".vramsite", b"")
        build_on_cluster(project, workers.scheduler_address, "memory://site")
    found = {path.removeprefix("/site/"): memory.cat_file(path) for path in memory.find("/site")}
    assert found == contents(tmp_path / "here")


def test_nobody_there(project: BuildSpec, output: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import dask

    with (
        dask.config.set({"distributed.comm.timeouts.connect": "0.2s"}),
        pytest.raises(ClusterError, match=r"no Dask scheduler at tcp://127\.0\.0\.1:9"),
    ):
        build_on_cluster(project, "tcp://127.0.0.1:9", output.as_uri())
