"""The model in this process: reads queries, groups texts, and encodes each as the library does. Needs torch."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from math import isfinite
from typing import Any

import numpy as np
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Pooling
from tokenizers import Tokenizer
from torch.nn import EmbeddingBag

from boolattn.backbones.dual_encoder import as_boolean
from boolattn.backbones.retrieval_model import retrieval_model
from boolattn.backbones.storage.model_names import load_encoder, title_of
from boolattn.query_vectors.query_encoder import require_finite_vectors
from boolattn.reading.reading import Reading
from boolattn.service import metrics
from boolattn.service.exact_batches import ExactBatches
from boolattn.service.jobs import Encoded, Job, Role, TextTooLongError, read_query
from boolattn.service.settings import ServiceSettings

_FIRST = "films but not about war"
_PROMPTS: dict[Role, tuple[str, ...]] = {"query": ("query",), "document": ("document", "passage", "corpus")}


class LocalEncoder:
    """A model in this process."""

    threads = 1  # torch uses all cores for one batch

    def __init__(self, settings: ServiceSettings) -> None:
        """Load the model."""
        self.loaded = load_encoder(settings.model, settings.backbone)
        self.name = title_of(settings.model)
        self.model = retrieval_model(self.loaded)
        self.model.options = self.options = settings.reading(self.model.options)
        self.plain: SentenceTransformer = self.model.document_encoder()
        boolean = as_boolean(self.loaded)
        # A mechanism reads inside the encoder: there is no query that it provably leaves alone.
        self._reads_inside = boolean is not None and boolean.tower.encoding.reads
        self.dimension, longest = self.plain.get_embedding_dimension(), self.plain.max_seq_length
        self.longest = longest if longest is not None and isfinite(longest) else None
        self.pooling = _pooling_of(self.plain)
        self._tokens = _token_counter(self.plain)
        self._batches = ExactBatches(self.plain)
        # Loads the reader, so that the first request need not wait for it.
        self.encode([Job(_FIRST, "query", options=self.options)])

    @property
    def exact(self) -> bool:
        """Whether texts are encoded together, which changes no digit of their vectors."""
        return self._batches.exact

    def encode(self, jobs: Sequence[Job]) -> list[Encoded | Exception]:
        """Return each text's vector, or why there is none."""
        found: list[Encoded | Exception | None] = [None] * len(jobs)
        plain: dict[tuple[Role, bool, int | None], list[tuple[int, Encoded]]] = defaultdict(list)
        for place, job in enumerate(jobs):
            try:
                known = self._understood(job)
                if self._acts(job, known.applied):
                    found[place] = self._acting(job, known)
                else:
                    plain[job.role, job.normalise, job.dimensions].append((place, known))
            except Exception as error:  # one text's fault must not fail the others
                found[place] = error
        for (role, normalise, dimensions), members in plain.items():
            self._encode_plain(role, _how(normalise, dimensions), members, jobs, found)
        return [each if each is not None else RuntimeError("a text was not encoded") for each in found]

    def _understood(self, job: Job) -> Encoded:
        """Return what is known of a text before it is encoded."""
        with metrics.timed("tokenisation"):
            tokens = self._count(job.role, job.text)
        if not job.truncate and self.longest is not None and tokens > self.longest:
            raise TextTooLongError(
                f"a text has {tokens} tokens, and the model reads {self.longest}: shorten it, or allow truncation"
            )
        tokens = tokens if self.longest is None else min(tokens, self.longest)
        if job.role == "document":
            return Encoded(np.empty(0, np.float32), tokens)
        reading, applied = read_query(job)
        return Encoded(np.empty(0, np.float32), tokens, reading, applied)

    def _acts(self, job: Job, applied: Reading | None) -> bool:
        return applied is not None and (bool(applied.exclusions) or self._reads_inside)

    def _acting(self, job: Job, known: Encoded) -> Encoded:
        """Encode a query that excludes something: alone, as these are few."""
        assert known.applied is not None
        with metrics.timed("encoding"):
            encoder = self.model.query_encoder(
                job.options.documents, show_progress_bar=False, **_how(job.normalise, job.dimensions)
            )
            vector = np.asarray(encoder.encode([known.applied])[0], np.float32)
        require_finite_vectors(vector)
        return Encoded(vector, known.tokens, known.reading, known.applied)

    def _encode_plain(
        self,
        role: Role,
        how: dict[str, Any],
        members: list[tuple[int, Encoded]],
        jobs: Sequence[Job],
        found: list[Encoded | Exception | None],
    ) -> None:
        try:
            with metrics.timed("encoding"):
                vectors = self._batches.encode([jobs[place].text for place, _ in members], role, how)
        except Exception as error:
            found[:] = [error if each is None else each for each in found]
            return
        for (place, known), vector in zip(members, vectors, strict=True):
            if np.isfinite(vector).all():
                found[place] = Encoded(vector, known.tokens, known.reading, known.applied)
            else:
                found[place] = ValueError("the model made a vector with NaN or infinity: check its weights")

    def _count(self, role: Role, text: str) -> int:
        """Return how many tokens a text has, with its prompt."""
        names = [name for name in _PROMPTS[role] if name in self.plain.prompts]
        prompt = self.plain.prompts.get(names[0] if names else self.plain.default_prompt_name or "") or ""
        return self._tokens(prompt + text)


def _how(normalise: bool, dimensions: int | None) -> dict[str, Any]:
    return {"normalize_embeddings": normalise} | ({} if dimensions is None else {"truncate_dim": dimensions})


def _pooling_of(model: SentenceTransformer) -> str | None:
    """Return how a model makes one vector of many, as TEI calls it; None if it does not say so, or in several ways."""
    found: set[str] = set()
    for module in model.modules():
        if isinstance(module, Pooling):
            modes = module.pooling_mode
            found.add(modes if isinstance(modes, str) else "+".join(modes))
        elif isinstance(module, EmbeddingBag):  # of a static embedding
            found.add(module.mode)
    return found.pop().replace("lasttoken", "last_token") if len(found) == 1 else None


def _token_counter(model: SentenceTransformer) -> Callable[[str], int]:
    """Return a function that counts tokens; on a tokenizer of its own, as a shared one keeps what it is asked for."""
    backend = getattr(model.tokenizer, "backend_tokenizer", None)
    if backend is None:
        return lambda text: int(model.preprocess([text])["input_ids"].numel())
    own = Tokenizer.from_str(backend.to_str())
    own.no_padding()
    own.no_truncation()
    return lambda text: len(own.encode(text).ids)
