"""What a build is asked for, in a form that travels to the worker processes as one JSON line."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from vramsite.site.site_file import SiteFileError, read_site_file
from vramsite.site.urls import DEFAULT_BASE_URL, Urls

_LISTS = ("models", "devices", "search_path", "kept_assets")
REAL_SITE = "vramsite.site.real_site:make"


class SpecError(ValueError):
    """A build that cannot be asked for like this; the message says what to change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildSpec:
    """One build.

    ``data_dir``, ``templates_dir`` and ``locales_dir`` are absolute paths as text. ``models`` and
    ``devices`` cut the site down to some ids (empty: all). ``shard`` is ``"k/n"`` or empty.
    ``factory`` names the function that makes a worker's ``Site`` (``module:function``);
    ``search_path`` is where the workers look for modules besides the package itself.
    ``kept_assets``: the last site's assets (`Assets.to_keep`), where nothing they are made from
    has changed; then they are not made again. ``security_contact``: whom to tell of a hole, for
    security.txt; empty: there is no such file.
    """

    data_dir: str
    templates_dir: str
    locales_dir: str
    base_url: str = DEFAULT_BASE_URL
    security_contact: str = ""
    models: tuple[str, ...] = ()
    devices: tuple[str, ...] = ()
    shard: str = ""
    factory: str = REAL_SITE
    search_path: tuple[str, ...] = ()
    kept_assets: tuple[str, ...] = ()

    @property
    def urls(self) -> Urls:
        """The addresses of the site that is built."""
        return Urls.from_base_url(self.base_url)

    def to_json(self) -> str:
        """The whole spec on one line."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> BuildSpec:
        """The inverse of ``to_json``."""
        fields = json.loads(text)
        lists = {name: tuple(fields[name]) for name in _LISTS}
        return cls(**(fields | lists))


def project_root() -> Path:
    """The folder that holds data/, templates/ and locales/: here, or beside the package's source.

    Raises:
        SpecError: neither the working directory nor the source tree is such a folder.
    """
    for folder in (Path.cwd(), Path(__file__).resolve().parents[3]):
        if (folder / "templates").is_dir() and (folder / "data").is_dir():
            return folder
    raise SpecError("no data/ and templates/ here: run from the project's folder")


def project_spec(root: Path | None = None, base_url: str | None = None) -> BuildSpec:
    """The spec of a project folder; the address comes from data/site.yaml unless given.

    Raises:
        SpecError: no such folder, or a data/site.yaml that cannot be used.
    """
    folder = (root or project_root()).resolve()
    try:
        said = read_site_file(folder / "data")
    except SiteFileError as error:
        raise SpecError(str(error)) from error
    return BuildSpec(
        data_dir=str(folder / "data"),
        templates_dir=str(folder / "templates"),
        locales_dir=str(folder / "locales"),
        base_url=base_url or said.base_url or DEFAULT_BASE_URL,
        security_contact=said.security_contact,
    )


def narrowed(spec: BuildSpec, only: list[str]) -> BuildSpec:
    """The spec for ``--only models=a,b`` and ``--only devices=c`` (any number of them).

    Raises:
        SpecError: a filter of another form.
    """
    for part in only:
        name, equals, ids = part.partition("=")
        if not equals or name not in {"models", "devices"} or not ids:
            raise SpecError(f"--only {part!r} must look like models=a,b or devices=c,d")
        values = tuple(value.strip() for value in ids.split(",") if value.strip())
        if name == "models":
            spec = replace(spec, models=spec.models + values)
        else:
            spec = replace(spec, devices=spec.devices + values)
    return spec
