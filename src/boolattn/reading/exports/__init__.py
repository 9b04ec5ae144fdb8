"""A BooleanPlan in the query languages of other engines, as plain text or dictionaries."""

from boolattn.reading.exports.elasticsearch import to_elasticsearch
from boolattn.reading.exports.lucene import to_lucene
from boolattn.reading.exports.qdrant import to_qdrant
from boolattn.reading.exports.weaviate import to_weaviate

__all__ = ["to_elasticsearch", "to_lucene", "to_qdrant", "to_weaviate"]
