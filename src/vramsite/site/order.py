"""What a worker process is told first; apart from the worker, so that the parent stays small."""

from __future__ import annotations

import json
from dataclasses import dataclass

from vramsite.site.spec import BuildSpec


@dataclass(frozen=True, slots=True)
class Order:
    """What a worker is told first: the spec, the folder to write into, the site it will replace
    and the last build's store ("" for none, or for one that does not count).
    """

    spec: BuildSpec
    folder: str
    live: str
    store: str

    def to_json(self) -> str:
        """All of it on one line."""
        return json.dumps([self.spec.to_json(), self.folder, self.live, self.store])

    @classmethod
    def from_json(cls, text: str) -> Order:
        """The inverse of ``to_json``."""
        spec, folder, live, store = json.loads(text)
        return cls(BuildSpec.from_json(spec), folder, live, store)
