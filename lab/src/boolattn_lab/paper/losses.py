"""The losses: cues, gates and scopes of a query, and its distance from its answers.

Shapes: B batch, L tokens, h heads, K operators, d size of a vector.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

import torch
import torch.nn.functional as F  # noqa: N812
from sentence_transformers import SentenceTransformer
from sentence_transformers.base.losses.merged_forward import embed_columns, merge_feature_batches
from sentence_transformers.sentence_transformer.losses import (
    MultipleNegativesRankingLoss,
    TripletDistanceMetric,
    TripletLoss,
)
from sentence_transformers.util import cos_sim, dot_score
from torch import Tensor, nn
from torch.distributed import is_initialized

from boolattn.attention import Trace
from boolattn.backbones.token_reading import TRACE
from boolattn_lab.benchmarks.model_parts import operators_of
from boolattn_lab.paper.corpus import CorpusLoss
from boolattn_lab.paper.labels import TokenLabels, unpack

RankingLoss: TypeAlias = TripletLoss | MultipleNegativesRankingLoss | CorpusLoss
_SIMILARITIES = {"dot": dot_score, "cosine": cos_sim}
_DISTANCES = {"euclidean": TripletDistanceMetric.EUCLIDEAN, "cosine": TripletDistanceMetric.COSINE}

MARGIN = 0.2  # as in LogiCoL


def cue_loss(logits: Tensor, labels: Tensor, mask: Tensor) -> Tensor:
    """L_cue = -1/(B L K) sum y log p + (1 - y) log(1 - p), p = sigma(logits).

    The paper has no K, because it has one row of labels; here each operator has its own.
    Departs from the paper: the mean is over real tokens, without padding. Over B x L, as printed, a query's
    contribution would depend on how long the other queries in its batch are.

    Args:
        logits: (B, L, K).
        labels: (B, L, K), 0 or 1.
        mask: (B, L), 1 for real tokens.
    """
    return F.binary_cross_entropy_with_logits(logits[mask.bool()], labels[mask.bool()])


def gate_loss(logits: Tensor, labels: Tensor, known: Tensor | None = None) -> Tensor:
    """L_gate = -1/(B K) sum y log p + (1 - y) log(1 - p) for logits and labels (B, K), where known."""
    return F.binary_cross_entropy_with_logits(logits, labels, known if known is None else known.to(logits))


def scope_loss(logits: Sequence[Tensor], labels: Tensor, mask: Tensor, known: Tensor) -> Tensor:
    """Binary cross-entropy of every layer's and head's scope, over the real tokens of queries with known scopes.

    Beyond the paper, which names missing scope labels as its limitation.

    Args:
        logits: For each layer, (B, L, h, K); empty if no gate was open.
        labels: (B, L, K), 0 or 1, the same for all layers and heads.
        mask: (B, L), 1 for real tokens.
        known: (B,).
    """
    chosen = mask.bool() & known[:, None]  # (B, L)
    if not logits or not bool(chosen.any()):
        return labels.new_zeros(())
    stacked = torch.stack([layer[chosen] for layer in logits])  # (layers, tokens, h, K)
    wanted = labels[chosen][None, :, None].expand_as(stacked)
    return F.binary_cross_entropy_with_logits(stacked, wanted)


def triplet_loss(
    model: SentenceTransformer, margin: float, distance: Literal["euclidean", "cosine"] = "euclidean"
) -> TripletLoss:
    """L_triplet = max(0, |q - p| - |q - n| + margin), mean over triples: the paper's pretraining.

    With ``distance="cosine"``, 1 - cos(q, p) replaces |q - p|.
    """
    return TripletLoss(model, _DISTANCES[distance], margin)


def contrastive_loss(model: SentenceTransformer, scale: float, gather: bool = True) -> MultipleNegativesRankingLoss:
    """-log softmax of a query's positive among all positives and negatives of the batch: the paper's fine-tuning.

    s(q, d) is the model's own similarity times ``scale``. With several devices, ``gather`` joins their batches.
    """
    similarity = _SIMILARITIES[str(model.similarity_fn_name)]
    return MultipleNegativesRankingLoss(model, scale, similarity, gather_across_devices=gather and is_initialized())


@dataclass(frozen=True, kw_only=True)
class LossWeights:
    """The weight of each loss; 0 disables it.

    Attributes:
        cue: L_cue.
        gate: L_gate.
        scope: The scope loss.
        ranking: The triplet or contrastive loss: the paper's alpha.
        subset: ``subset_loss``.
        exclusion: ``exclusion_loss``.
    """

    cue: float = 0.0
    gate: float = 0.0
    scope: float = 0.0
    ranking: float = 1.0
    subset: float = 0.0
    exclusion: float = 0.0

    def __post_init__(self) -> None:
        """Reject invalid weights."""
        for name, weight in asdict(self).items():
            if weight < 0:
                raise ValueError(f"the weight of the {name} loss is {weight}: it must not be negative")
        if not any(asdict(self).values()):
            raise ValueError("all weights are 0: there is nothing to learn")

    @property
    def only_understanding(self) -> bool:
        """Whether no loss compares vectors."""
        return not (self.ranking or self.logical)

    @property
    def understanding(self) -> bool:
        """Whether cues, gates or scopes are trained."""
        return bool(self.cue or self.gate or self.scope)

    @property
    def logical(self) -> bool:
        """Whether each query needs one that it implies and one that it excludes."""
        return bool(self.subset or self.exclusion)


class BooleanLoss(nn.Module):
    """The weighted sum of all losses, each logged under its name.

    Columns are (query, positive, negative, ...), with logical losses (..., implied, excluded), or the query alone.
    A row's label is its row number and the output of ``labels.pack``. A model without BoolAttn has no trace, and so
    no cues, gates or scopes to learn.
    """

    def __init__(self, model: SentenceTransformer, ranking: RankingLoss, weights: LossWeights) -> None:
        """Combine a ranking loss with the weighted others."""
        super().__init__()
        self.model, self.ranking, self.weights = model, ranking, weights
        self.operators = len(operators_of(model))

    def forward(self, sentence_features: Sequence[dict[str, Any]], labels: Tensor | None) -> dict[str, Tensor]:
        """Return the weighted losses by name; the trainer sums them."""
        features, weights = list(sentence_features), self.weights
        related = [features.pop(), features.pop()][::-1] if weights.logical else []
        query = self.model(features[0])
        mask = query["attention_mask"]
        losses = {}
        documents = []
        if len(features) > 1:
            documents = embed_documents(self.model, features[1:])
        elif isinstance(self.ranking, CorpusLoss) and weights.logical:
            documents = [self.ranking.sample()]
        if weights.ranking:
            losses["ranking"] = self._ranking(query["sentence_embedding"], documents, labels)
        if labels is not None:
            known = unpack(labels[:, 1:], self.operators, mask.shape[1])
            if TRACE in query:
                losses |= self._understanding(query[TRACE], known, mask)
            if weights.logical:
                others = [self.model(each)["sentence_embedding"] for each in related]
                losses |= _logical(query["sentence_embedding"], others, torch.cat(documents), known)
        weighted = {name: getattr(weights, name) * loss for name, loss in losses.items() if getattr(weights, name)}
        # Every device must use all weights, even behind a gate that is closed in its batch. Every batch must have a
        # gradient, even if it excludes nothing and uses no trained weight.
        if is_initialized() or not any(loss.requires_grad for loss in weighted.values()):
            nothing = 0 * sum(weight.sum() for weight in self.model.parameters() if weight.requires_grad)
            weighted = {name: loss + nothing for name, loss in weighted.items()}
        return weighted

    def _ranking(self, vectors: Tensor, documents: Sequence[Tensor], labels: Tensor | None) -> Tensor:
        if isinstance(self.ranking, CorpusLoss):
            assert labels is not None, "the corpus loss identifies a query by its row number"
            loss: Tensor = self.ranking(vectors, labels[:, 0])
            return loss
        unused = torch.empty(0)  # these losses need no labels
        return self.ranking.compute_loss_from_embeddings([vectors, *documents], unused)

    def _understanding(self, trace: Trace, labels: TokenLabels, mask: Tensor) -> dict[str, Tensor]:
        losses = {}
        if self.weights.cue:
            assert trace.cue_logits is not None
            losses["cue"] = cue_loss(trace.cue_logits, labels.cues, mask)
        if self.weights.gate:
            assert trace.gate_logits is not None, "build_model requires a learned gate"
            losses["gate"] = gate_loss(trace.gate_logits, labels.gates, labels.gates_known)
        if self.weights.scope:
            losses["scope"] = scope_loss(trace.scope_logits, labels.scopes, mask, labels.scopes_known)
        return losses


def embed_documents(model: nn.Module, columns: Sequence[dict[str, Any]]) -> list[Tensor]:
    """Embed columns of documents, those of similar length together, and return the vectors of each column.

    ``embed_columns`` pads every document to the longest of the batch, so that nearly half of the tokens may be padding.
    The vectors are the same, except for dropout.
    """
    merged = merge_feature_batches(list(columns)) if len(columns) > 1 else None
    if merged is None:
        return embed_columns(model, columns, separate_first=False)
    mask = merged["attention_mask"]
    order = mask.sum(dim=1).argsort()
    parts = []
    for rows in order.chunk(len(columns)):
        width = int(mask[rows].any(dim=0).nonzero().max()) + 1
        by_document = {
            name: value[rows, :width] if value.shape[:2] == mask.shape else value[rows]
            for name, value in merged.items()
            if isinstance(value, Tensor) and value.shape[:1] == mask.shape[:1]
        }
        parts.append(model(merged | by_document)["sentence_embedding"])
    vectors = torch.cat(parts)[order.argsort()]
    return list(vectors.chunk(len(columns)))


def _logical(query: Tensor, related: Sequence[Tensor], documents: Tensor, labels: TokenLabels) -> dict[str, Tensor]:
    """Compare each query with the one it implies and the one it excludes, if any."""
    losses = {}
    pairs = (("subset", subset_loss, labels.implies), ("exclusion", exclusion_loss, labels.excludes))
    for (name, loss, rows), others in zip(pairs, related, strict=True):
        losses[name] = loss(query[rows], others[rows], documents) if bool(rows.any()) else query.new_zeros(())
    return losses


def subset_loss(narrow: Tensor, wide: Tensor, documents: Tensor) -> Tensor:
    """Mean over pairs and documents of max(0, log p(d, narrow) - log p(d, wide)), p = (1 + cos) / 2.

    The product t-norm's "narrow implies wide": no document may match the narrow query better than the wide one.

    Args:
        narrow: (N, d), such as for "A and B".
        wide: (N, d), such as for "A".
        documents: (M, d).
    """
    first, second = (((1 + _cosines(queries, documents)) / 2).clamp(min=1e-8).log() for queries in (narrow, wide))
    return F.relu(first - second).mean()


def exclusion_loss(query: Tensor, excluded: Tensor, documents: Tensor) -> Tensor:
    """Mean over pairs of max(0, margin - (KL(p | q) + KL(q | p)) / 2), p and q softmaxes of cosines over documents.

    Args:
        query: (N, d), such as for "A but not B".
        excluded: (N, d), such as for "B".
        documents: (M, d).
    """
    p, q = (torch.log_softmax(_cosines(queries, documents), dim=-1) for queries in (query, excluded))
    apart = ((p.exp() - q.exp()) * (p - q)).sum(dim=-1) / 2  # both divergences at once
    return F.relu(MARGIN - apart).mean()


def _cosines(queries: Tensor, documents: Tensor) -> Tensor:
    return F.normalize(queries, dim=-1) @ F.normalize(documents, dim=-1).T  # (N, M)
