"""Reads a repository on Hugging Face (extra `hub`): config.json, parameter count, licence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from vramsite.contribute.config_source import ModelSource, SourceError


def read_repository(repo: str) -> ModelSource:
    """What the repository says. Raises SourceError without the extra or the network."""
    try:
        import huggingface_hub
        from huggingface_hub.errors import GatedRepoError, HfHubHTTPError, RepositoryNotFoundError
    except ImportError as error:
        raise SourceError(
            f"{repo}: no such file here. To read it as a repository, install the extra: "
            "pip install 'vramsite[hub]'"
        ) from error
    huggingface_hub.utils.logging.set_verbosity_error()  # errors are told by us
    try:
        path = huggingface_hub.hf_hub_download(repo, "config.json")
        details = huggingface_hub.HfApi().model_info(repo, files_metadata=True)
    except GatedRepoError as error:
        raise SourceError(
            f"{repo}: asks for consent; accept it on the model page and log in with "
            "`hf auth login`, or save config.json and give its path"
        ) from error
    except RepositoryNotFoundError as error:
        raise SourceError(f"{repo}: no such repository on Hugging Face") from error
    except (HfHubHTTPError, OSError, ValueError) as error:
        raise SourceError(
            f"{repo}: cannot be reached ({type(error).__name__}); save its config.json and "
            "give the path instead"
        ) from error
    config = json.loads(Path(path).read_text(encoding="utf-8"))
    return ModelSource(
        config,
        f"config.json of {repo}, revision {details.sha}",
        repo=repo,
        params_total=getattr(details.safetensors, "total", None),
        checkpoint_bytes=_checkpoint_bytes(details),
        license=_license(details),
    )


def _checkpoint_bytes(details: Any) -> int | None:
    sizes = [
        item.size
        for item in details.siblings or []
        if item.rfilename.endswith(".safetensors") and "/" not in item.rfilename
    ]
    return sum(sizes) if sizes and all(size is not None for size in sizes) else None


def _license(details: Any) -> str | None:
    found = getattr(details.card_data, "license", None)
    return found if isinstance(found, str) else None
