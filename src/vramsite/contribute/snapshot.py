"""The numbers of all pair pages of a catalog, as plain data: what `diff` compares.

Also run as a program with the modules of another revision: `python -P snapshot.py DATA` prints one
JSON object. So it uses nothing that a revision may not have.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from vramsite.catalog import load_catalog
from vramsite.report.sizer import Sizer, SizerError

# What a pair page shows first, in the order of the table. Verdicts are compared as texts.
NUMBERS = ("device_bytes", "host_bytes", "decode_tps", "prefill_tps", "ttft_s")


def snapshot(data_dir: Path) -> dict[str, Any]:
    """`models`, `devices`: id -> text of the file; `pairs`: "model device" -> numbers; `offers`:
    "provider device instance billing" -> price and its day.

    At the defaults of the site: Q4_K_M and 8,192 tokens. Raises CatalogError.
    """
    catalog = load_catalog(data_dir)
    sizer = Sizer(catalog)
    pairs: dict[str, dict[str, Any]] = {}
    for model_id in catalog.models:
        for gpu_id in catalog.gpus:
            try:
                answer = sizer.size(model_id, gpu_id, sizer.settings(model_id, gpu_id))
            except SizerError as error:
                pairs[f"{model_id} {gpu_id}"] = {"verdict": f"refused: {error}"}
                continue
            pairs[f"{model_id} {gpu_id}"] = {
                "verdict": answer.fit.verdict,
                "device_bytes": answer.memory.device_bytes,
                "host_bytes": answer.memory.host_bytes,
                "decode_tps": answer.decode_tps.value,
                "prefill_tps": answer.prefill_tps.value,
                "ttft_s": answer.ttft_s.value,
            }
    return {
        "models": _texts(data_dir, "models"),
        "devices": _texts(data_dir, "gpus"),
        "pairs": pairs,
        "offers": {
            f"{offer.provider_slug} {offer.gpu} {offer.instance} {offer.billing}": {
                "usd_per_hour": offer.usd_per_hour,
                "as_of": offer.as_of.isoformat(),
            }
            for offer in catalog.offers
        },
    }


def _texts(data_dir: Path, folder: str) -> dict[str, str]:
    return {
        path.stem: path.read_text(encoding="utf-8")
        for path in sorted((data_dir / folder).glob("*/*.yaml"))
    }


if __name__ == "__main__":
    json.dump(snapshot(Path(sys.argv[1])), sys.stdout)
