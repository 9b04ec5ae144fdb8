"""The application: routes, errors, limits and keys around one model."""

import logging
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from fastapi import FastAPI
from uvicorn.config import STARTUP_FAILURE

from boolattn.service import embedding_routes, page_routes, rerank_routes, search_routes, status_routes
from boolattn.service.gate import Gate
from boolattn.service.jobs import Encoder
from boolattn.service.keys import read_keys
from boolattn.service.problems import add_handlers
from boolattn.service.rate_limits import SharedRateLimits
from boolattn.service.settings import SETTINGS_VARIABLE, ServiceSettings, from_json
from boolattn.service.state import Service
from boolattn.version import __version__


def create_app(settings: ServiceSettings, encoder: Encoder | None = None) -> FastAPI:
    """Return the application.

    Args:
        settings: All settings.
        encoder: What encodes texts; None loads what the settings name.
    """
    service = Service(settings, encoder or load_encoder_of(settings))
    service.check_indexes()

    @asynccontextmanager
    async def running(app: FastAPI) -> AsyncIterator[None]:
        service.batcher.start()
        yield
        await service.close()

    app = FastAPI(
        title="boolattn",
        version=__version__,
        description="Query embeddings and search that understand and, or and not.",
        lifespan=running,
        docs_url=None,  # both pages load scripts from elsewhere
        redoc_url=None,
    )
    app.state.service = service
    add_handlers(app)
    for routes in (embedding_routes, rerank_routes, search_routes, status_routes, page_routes):
        app.include_router(routes.router)
    keys = None if settings.keys is None else read_keys(settings.keys)
    rates = None
    if keys is not None:
        with TemporaryDirectory(prefix="boolattn-") as passing:  # the limits stay in memory
            rates = SharedRateLimits(Path(settings.runtime or passing, "rate-limits"), len(keys.all))
    app.add_middleware(Gate, service=service, keys=keys, rates=rates)
    return app


def load_encoder_of(settings: ServiceSettings) -> Encoder:
    """Load the model, or connect to the upstream server."""
    if settings.upstream:
        from boolattn.service.upstream import UpstreamEncoder

        return UpstreamEncoder(settings)
    from boolattn.service.local_encoder import LocalEncoder

    return LocalEncoder(settings)


def app_of_worker() -> FastAPI:
    """Return the application of a worker process, with the settings in its environment."""
    try:
        return create_app(from_json(os.environ[SETTINGS_VARIABLE]))
    except (ValueError, OSError, ImportError) as error:  # a mistake of whoever starts it: one line, no traceback
        logging.getLogger("uvicorn.error").error("cannot start: %s", error)
        sys.exit(STARTUP_FAILURE)
