"""A part of the real site, served on this machine, and a Chromium that looks at it."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from sample_site import DEVICES, MODELS, ROOT

from vramsite.site.build import build_site
from vramsite.site.serve import SiteServer
from vramsite.site.spec import narrowed, project_spec


@pytest.fixture(scope="session")
def site_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the served part of the site, with a slash at its end."""
    taken = os.environ.get("VRAMSITE_SITE")
    if taken:
        output, base_path = Path(taken), "/"
    else:
        output = tmp_path_factory.mktemp("browser") / "out"
        only = [f"models={','.join(MODELS)}", f"devices={','.join(DEVICES)}"]
        spec = narrowed(project_spec(ROOT, "http://localhost:8000/"), only)
        base_path = spec.urls.base_path
        build_site(spec, output, jobs=1)
    with SiteServer(output, base_path, port=0, reload=False) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        yield server.url
        server.shutdown()
        thread.join()
