"""Plans in the query languages of other engines, as plain text or dictionaries; weights of exclusions are ignored."""

from boolattn.plans.engine_queries.elasticsearch import to_elasticsearch
from boolattn.plans.engine_queries.lancedb import to_lancedb
from boolattn.plans.engine_queries.lucene import to_lucene
from boolattn.plans.engine_queries.postgres import to_postgres, to_postgres_where
from boolattn.plans.engine_queries.qdrant import to_qdrant, to_qdrant_filter
from boolattn.plans.engine_queries.weaviate import to_weaviate

__all__ = [
    "to_elasticsearch",
    "to_lancedb",
    "to_lucene",
    "to_postgres",
    "to_postgres_where",
    "to_qdrant",
    "to_qdrant_filter",
    "to_weaviate",
]
