"""A loss over all documents of a corpus, whose vectors are fixed."""

import math
from collections.abc import Sequence

import torch
import torch.nn.functional as F  # noqa: N812
from sentence_transformers import SentenceTransformer
from torch import Tensor, nn

from boolattn.backbones.document_encoder import similarity_of
from boolattn.backbones.retrieval_model import document_encoder
from boolattn.backbones.storage.fingerprint import document_fingerprint
from boolattn_lab.benchmarks.document_cache import document_blocks
from boolattn_lab.paper.examples import Example, require_known

SAMPLE = 128


class CorpusLoss(nn.Module):
    """-log of the softmax share of a query's answers among all documents.

    L = log(sum over d of c_d e^s(q, d)) - log(sum over answers of e^s(q, a)), with c_d = ``excluded_counts`` for what
    the query excludes, and 1 otherwise: retrieving an excluded document costs as much as that many others.
    """

    documents: Tensor

    def __init__(
        self, documents: Tensor, examples: Sequence[tuple[Tensor, Tensor]], scale: float, excluded_counts: float
    ) -> None:
        """Store the documents and examples.

        Args:
            documents: (N, d), of unit length.
            examples: For each training query, the rows of its answers and of its excluded documents in ``documents``.
            scale: Factor for similarities.
            excluded_counts: See above.
        """
        super().__init__()
        self.register_buffer("documents", documents, persistent=False)
        self.examples, self.scale, self.harm = examples, scale, math.log(excluded_counts)

    def forward(self, queries: Tensor, rows: Tensor) -> Tensor:
        """Return the mean loss of queries (B, d), given their row numbers in the training set (B,)."""
        scores = self.scale * F.normalize(queries.float(), dim=-1) @ self.documents.T  # (B, N)
        chosen = [self.examples[row] for row in rows.tolist()]
        answers = torch.stack([one[found].logsumexp(0) for one, (found, _) in zip(scores, chosen, strict=True)])
        harm = torch.zeros_like(scores)
        for one, (_, excluded) in zip(harm, chosen, strict=True):
            one[excluded] = self.harm
        return ((scores + harm).logsumexp(dim=1) - answers).mean()

    def sample(self) -> Tensor:
        """Draw some documents (S, d), for losses that need only a few."""
        return self.documents[torch.randperm(len(self.documents))[:SAMPLE]]


def corpus_loss(
    model: SentenceTransformer,
    examples: Sequence[Example],
    documents: dict[str, str] | None,
    tokens: int,
    scale: float,
    excluded_counts: float,
) -> CorpusLoss:
    """Encode the documents, or reuse cached vectors, and number the answers of each query."""
    if documents is None:
        raise ValueError("[training] candidates = 'corpus' requires a source with documents")
    encoder = document_encoder(model)
    if similarity_of(encoder, "corpus") != "cosine":
        raise ValueError("[training] candidates = 'corpus' requires [model] similarity = 'cosine'")
    for example in examples:
        if not example.positives:  # the logarithm of 0 is infinite
            raise ValueError(f"{example.question.text!r} has no answer in the corpus: add one, or remove the query")
        require_known(example, (*example.positives, *example.unwanted), documents)
    blocks = document_blocks(encoder, document_fingerprint(encoder), documents.items(), tokens)
    number = {identifier: place for place, identifier in enumerate(documents)}
    numbered = [
        tuple(torch.tensor([number[each] for each in found], dtype=torch.long) for found in pair)
        for pair in ((example.positives, example.unwanted) for example in examples)
    ]
    vectors = F.normalize(torch.cat([torch.tensor(block, dtype=torch.float) for _, block in blocks]), dim=-1)
    return CorpusLoss(vectors, [(found, excluded) for found, excluded in numbered], scale, excluded_counts)
