"""Another server's model behind our reader: it embeds what queries want and what they exclude. Needs no torch."""

from collections.abc import Sequence
from typing import Any

import httpx
import msgspec
import numpy as np

from boolattn.encoders.vectors.rewriting import PENALTIES, RewriteEncoder
from boolattn.reading.options import ReadingOptions
from boolattn.reading.reading import Documents, Reading
from boolattn.service import metrics
from boolattn.service.jobs import Encoded, Job, ReadingChoices, UpstreamError, Vector
from boolattn.service.settings import ServiceSettings


class UpstreamEncoder:
    """Embeds through an OpenAI-style server or text-embeddings-inference."""

    threads = 8  # the work is done elsewhere

    def __init__(self, settings: ServiceSettings) -> None:
        """Prepare to connect; the server may start later."""
        assert settings.upstream is not None
        self._kind, self._model = settings.upstream_kind, settings.upstream_model
        self.name = settings.upstream_model or "upstream"
        self.dimension: int | None = None
        self.longest: int | None = None
        self.options = ReadingOptions().changed(
            reader=settings.reader, documents=settings.documents, strictness=settings.strictness, act=settings.act
        )
        headers = {"Authorization": f"Bearer {settings.upstream_key}"} if settings.upstream_key else {}
        self._client = httpx.Client(base_url=settings.upstream, headers=headers, timeout=settings.timeout)
        self.read("films but not about war", ReadingChoices())  # loads the reader

    def read(self, query: str, choices: ReadingChoices) -> tuple[Reading, Reading]:
        """Return what is read of a query, and what of it is acted on."""
        with metrics.timed("reading"):
            reading, applied = choices.read(self.options, query)
        metrics.count_reading(reading, applied)
        return reading, applied

    def encode(self, jobs: Sequence[Job]) -> list[Encoded | Exception]:
        """Return each text's vector, or why there is none."""
        found: dict[int, Encoded | Exception] = {}
        plain: list[int] = []
        queries: dict[Documents, list[tuple[int, Reading, Reading]]] = {}
        for place, job in enumerate(jobs):
            if job.role == "document":
                plain.append(place)
                continue
            try:
                pair = self.read(job.text, job.choices)
                queries.setdefault(job.choices.documents or self.options.documents, []).append((place, *pair))
            except ValueError as error:
                found[place] = error
        if plain:
            found |= self._documents(jobs, plain)
        for documents, members in queries.items():
            found |= self._queries(jobs, documents, members)
        return [found[place] for place in range(len(jobs))]

    def _documents(self, jobs: Sequence[Job], places: list[int]) -> dict[int, Encoded | Exception]:
        try:
            vectors = self._embed([jobs[place].text for place in places])
        except UpstreamError as error:
            return dict.fromkeys(places, error)
        return {
            place: Encoded(_finished(vector, jobs[place]), 0) for place, vector in zip(places, vectors, strict=True)
        }

    def _queries(
        self, jobs: Sequence[Job], documents: Documents, members: list[tuple[int, Reading, Reading]]
    ) -> dict[int, Encoded | Exception]:
        try:
            encoder = RewriteEncoder(self._embed, PENALTIES[documents])
            vectors = encoder.encode([applied for _, _, applied in members])
        except (UpstreamError, ValueError) as error:
            return {place: error for place, _, _ in members}
        return {
            place: Encoded(_finished(vector, jobs[place]), 0, reading, applied)
            for (place, reading, applied), vector in zip(members, vectors, strict=True)
        }

    def _embed(self, texts: list[str]) -> Vector:
        with metrics.timed("encoding"):
            found = self._asked(texts)
        try:
            vectors = np.array(found, np.float32)
        except ValueError as error:
            raise UpstreamError("the upstream server answered with something other than vectors") from error
        if vectors.ndim != 2 or len(vectors) != len(texts):
            raise UpstreamError(f"the upstream server answered {len(texts)} texts with an array of {vectors.shape}")
        self.dimension = vectors.shape[1]
        return vectors

    def _asked(self, texts: list[str]) -> Any:
        try:
            if self._kind == "tei":
                return msgspec.json.decode(self._post("/embed", {"inputs": texts}))
            answer = msgspec.json.decode(self._post("/v1/embeddings", {"input": texts, "model": self._model}))
            return [row["embedding"] for row in sorted(answer["data"], key=lambda row: row["index"])]
        except (msgspec.DecodeError, KeyError, TypeError) as error:
            raise UpstreamError("the upstream server does not answer in the expected protocol") from error

    def _post(self, path: str, body: dict[str, Any]) -> bytes:
        try:
            answer = self._client.post(path, json=body)
        except httpx.HTTPError as error:
            raise UpstreamError(f"the upstream server does not answer: {error}") from error
        if answer.status_code != 200:
            raise UpstreamError(f"the upstream server answered with {answer.status_code}: {answer.text[:200]}")
        return answer.content


def _finished(vector: Vector, job: Job) -> Vector:
    """Return the vector as it was asked for."""
    if job.dimensions is not None:
        vector = vector[: job.dimensions]
    if job.normalise:
        vector = vector / np.maximum(np.linalg.norm(vector), np.float32(1e-12))
    return np.asarray(vector, np.float32)
