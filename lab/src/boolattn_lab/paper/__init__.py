"""The paper's two training stages, and the same without BoolAttn for comparison."""
