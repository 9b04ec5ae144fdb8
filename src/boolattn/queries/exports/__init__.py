"""A BooleanPlan in the query languages of other engines, as plain text or dictionaries."""

from boolattn.queries.exports.elasticsearch import to_elasticsearch
from boolattn.queries.exports.lucene import to_lucene
from boolattn.queries.exports.qdrant import to_qdrant
from boolattn.queries.exports.weaviate import to_weaviate

__all__ = ["to_elasticsearch", "to_lucene", "to_qdrant", "to_weaviate"]
