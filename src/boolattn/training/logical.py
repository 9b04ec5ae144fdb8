"""Losses between queries, in the manner of LogiCoL (Shen et al., 2025): beyond the paper.

What answers "A and B" also answers "A"; what answers "A but not B" does not answer "B". Both are asked of the scores
that two queries give to the documents of a batch. Shapes: N pairs of queries, M documents, d size of a vector.
"""

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor

MARGIN = 0.2  # as LogiCoL's


def subset_loss(narrow: Tensor, wide: Tensor, documents: Tensor) -> Tensor:
    """Mean over pairs and documents of max(0, log p(d, narrow) - log p(d, wide)), p = (1 + cos) / 2.

    The product t-norm's "narrow implies wide": no document may answer the narrow query better than the wide one.

    Args:
        narrow: (N, d), such as of "A and B".
        wide: (N, d), such as of "A".
        documents: (M, d).
    """
    first, second = (((1 + _cosines(queries, documents)) / 2).clamp(min=1e-8).log() for queries in (narrow, wide))
    return F.relu(first - second).mean()


def exclusion_loss(query: Tensor, excluded: Tensor, documents: Tensor) -> Tensor:
    """Mean over pairs of max(0, margin - (KL(p | q) + KL(q | p)) / 2), p and q softmaxes of cosines over documents.

    Args:
        query: (N, d), such as of "A but not B".
        excluded: (N, d), such as of "B".
        documents: (M, d).
    """
    p, q = (torch.log_softmax(_cosines(queries, documents), dim=-1) for queries in (query, excluded))
    apart = ((p.exp() - q.exp()) * (p - q)).sum(dim=-1) / 2  # both divergences at once
    return F.relu(MARGIN - apart).mean()


def _cosines(queries: Tensor, documents: Tensor) -> Tensor:
    return F.normalize(queries, dim=-1) @ F.normalize(documents, dim=-1).T  # (N, M)
