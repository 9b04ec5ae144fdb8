import subprocess
import sys


def test_importing_the_loaders_does_not_import_heavy_packages():
    code = "import sys, boolattn_lab.formats; print({'torch', 'datasets', 'pandas', 'pyarrow'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
