"""Another server's model behind our reader: it embeds what queries want and what they exclude. Needs no torch."""

from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import httpx
import msgspec
import numpy as np

from boolattn.query_vectors.rewriting import PENALTIES, RewriteEncoder
from boolattn.reading.options import ReadingOptions
from boolattn.reading.reading import Documents, Reading
from boolattn.service import metrics
from boolattn.service.jobs import Encoded, Job, TextTooLongError, UpstreamError, Vector, read_query
from boolattn.service.settings import ServiceSettings


class _Member(NamedTuple):
    """A text of a batch; a document has not been read."""

    place: int
    job: Job
    reading: Reading | None
    applied: Reading | None


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
        self.pooling: str | None = None
        self.options = settings.reading(ReadingOptions())
        headers = {"Authorization": f"Bearer {settings.upstream_key}"} if settings.upstream_key else {}
        self._client = httpx.Client(base_url=settings.upstream, headers=headers, timeout=settings.timeout)
        Job("films but not about war", "query", options=self.options).read()  # loads the reader

    def encode(self, jobs: Sequence[Job]) -> list[Encoded | Exception]:
        """Return each text's vector, or why there is none."""
        found: dict[int, Encoded | Exception] = {}
        groups: dict[tuple[Documents, bool], list[_Member]] = defaultdict(list)
        for place, job in enumerate(jobs):
            try:
                member = _Member(place, job, *self._read(job))
            except ValueError as error:
                found[place] = error
            else:
                groups[job.options.documents, job.truncate].append(member)
        for members in groups.values():
            found |= self._together(members)
        return [found[place] for place in range(len(jobs))]

    def _read(self, job: Job) -> tuple[Reading | None, Reading | None]:
        if self._kind == "openai" and not job.truncate:
            raise ValueError(
                "the upstream server's protocol cannot refuse texts that are too long: allow truncation (TEI: true, "
                "Cohere: END), or start the service with --upstream-kind tei"
            )
        return read_query(job) if job.role == "query" else (None, None)

    def _together(self, members: Sequence[_Member]) -> dict[int, Encoded | Exception]:
        """Encode texts for the same kind of documents, which may all be truncated, or none."""
        job = members[0].job
        encoder = RewriteEncoder(partial(self._embed, truncate=job.truncate), PENALTIES[job.options.documents])
        try:
            vectors = encoder.encode(
                [each.applied or Reading.plain(each.job.text, "caller", "caller") for each in members]
            )
        except TextTooLongError as error:
            if len(members) == 1:
                return {members[0].place: error}
            # The server does not say which one, and the others must not fail with it.
            return {place: found for each in members for place, found in self._together([each]).items()}
        except (UpstreamError, ValueError) as error:
            return {each.place: error for each in members}
        return {
            each.place: Encoded(_finished(vector, each.job), 0, each.reading, each.applied)
            for each, vector in zip(members, vectors, strict=True)
        }

    def _embed(self, texts: list[str], truncate: bool) -> Vector:
        with metrics.timed("encoding"):
            found = self._asked(texts, truncate)
        try:
            vectors = np.array(found, np.float32)
        except ValueError as error:
            raise UpstreamError("the upstream server answered with something other than vectors") from error
        if vectors.ndim != 2 or len(vectors) != len(texts):
            raise UpstreamError(f"the upstream server answered {len(texts)} texts with an array of {vectors.shape}")
        self.dimension = vectors.shape[1]
        return vectors

    def _asked(self, texts: list[str], truncate: bool) -> Any:
        try:
            if self._kind == "tei":  # says it in any case: what the server does by default is one of its settings
                return msgspec.json.decode(self._post("/embed", {"inputs": texts, "truncate": truncate}))
            answer = msgspec.json.decode(self._post("/v1/embeddings", {"input": texts, "model": self._model}))
            return [row["embedding"] for row in sorted(answer["data"], key=lambda row: row["index"])]
        except (msgspec.DecodeError, KeyError, TypeError) as error:
            raise UpstreamError("the upstream server does not answer in the expected protocol") from error

    def _post(self, path: str, body: dict[str, Any]) -> bytes:
        try:
            answer = self._client.post(path, json=body)
        except httpx.HTTPError as error:
            raise UpstreamError(f"the upstream server does not answer: {error}") from error
        if answer.status_code in (413, 422) and body.get("truncate") is False:
            raise TextTooLongError(
                f"the upstream server refuses a text that must not be truncated: {answer.text[:200]}"
            )
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
