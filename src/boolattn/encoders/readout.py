"""The pooling's module path in model folders saved before 0.1.0."""

from boolattn.encoders.vectors.signed_pooling import SignedPooling

__all__ = ["SignedPooling"]
