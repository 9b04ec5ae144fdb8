"""The service on Ray Serve, for more than one machine: every replica runs the same application."""

import os
from pathlib import Path
from typing import Any

from ray import serve
from ray.serve import Application

from boolattn.service.settings import ServiceSettings, SettingsError, from_json, load_settings, to_json


def application(settings: dict[str, Any]) -> Application:
    """Return what ``serve run boolattn.service.ray_serve:application`` starts.

    Args:
        settings: As in ``boolattn serve``, by name; the environment (``BOOLATTN_*``) has the rest. Ray decides where to
            listen and how many replicas there are, so that ``host``, ``port`` and ``workers`` have no effect.
    """
    found = load_settings(settings)
    if found.keys is None:
        raise SettingsError(
            "Ray may listen on any address, so keys are needed: add one with boolattn keys, and set keys"
        )
    stored = to_json(found)

    def app() -> Any:  # called in each replica; Ray takes only a plain function
        return _app(stored)

    deployment: Any = serve.deployment(serve.ingress(app)(), name="boolattn")
    bound: Application = deployment.bind()
    return bound


def _app(settings: str) -> Any:
    """Return the application of a replica."""
    found: ServiceSettings = from_json(settings)
    if found.runtime is not None:  # replicas on one machine share rate limits and metrics there
        folder = Path(found.runtime, "metrics")
        folder.mkdir(parents=True, exist_ok=True)
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(folder)  # before prometheus_client is imported
    from boolattn.service.app import create_app

    return create_app(found)
