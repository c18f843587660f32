"""`make test-oldest`: the unit tests and every notebook on the oldest versions that the packages have to run on.

These are what a reader's browser (Pyodide) and Colab bring. Drawings may differ from the committed ones, numbers not.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PYTHONS = ("python3.11", "python3.12")  # NumPy 2.0 and Matplotlib 3.8 were made for these


def interpreter():
    """The path of a Python for which the oldest versions were made: the running one, if it is."""
    if sys.version_info[:2] in ((3, 11), (3, 12)):
        return sys.executable
    return next(filter(None, map(shutil.which, PYTHONS)), None)


def main():
    with tempfile.TemporaryDirectory() as folder:
        if not (base := interpreter()):
            sys.exit(f"None of {', '.join(PYTHONS)} is here, and the oldest versions need one of them")
        subprocess.run([base, "-m", "venv", folder], check=True)
        python = Path(folder) / "bin" / "python"

        def run(*arguments):
            environment = os.environ | {"PYTHONPATH": str(ROOT / "lib"), "PYTHONWARNINGS": "ignore"}
            if subprocess.run([python, *arguments], cwd=ROOT, env=environment).returncode:
                sys.exit("Failed on the oldest versions")

        pip = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check")
        run(*pip, "-r", HERE / "requirements.txt")
        run(*pip, "--no-deps", "-r", HERE / "widgets.txt")
        run("-c", "import matplotlib.font_manager")
        pytest = ("-m", "pytest", "-q", "-p", "no:cacheprovider")
        # which coefficient a test sees does not depend on versions
        run(*pytest, "tests/unit", "--ignore=tests/unit/test_mutations.py")
        run(*pytest, "--nbval", "notebooks", "--nbval-sanitize-with", HERE / "numbers.cfg")


if __name__ == "__main__":
    main()
