"""How a model acts on exclusions: by attention bias, by encoding both sides, or by the paper's mechanism."""
