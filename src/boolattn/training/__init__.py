"""The paper's two training stages, and the same without BoolAttn for comparison."""

from importlib.util import find_spec

if missing := [name for name in ("accelerate", "datasets") if find_spec(name) is None]:
    raise ImportError(f"training needs {' and '.join(missing)}: pip install 'boolattn[train]'")
