"""Where model folders saved before 0.2 look for the pooling."""

from boolattn.encoders.vectors.signed_pooling import SignedPooling

__all__ = ["SignedPooling"]
