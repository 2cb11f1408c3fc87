"""What bin/collio runs: Python puts this file's folder before all others."""

import sys

if sys.version_info[:2] != @PYTHON_TUPLE@:
    print(f"collio: this is Python {sys.version.split()[0]} ({sys.executable}), but collio was installed for Python @PYTHON_VERSION@: "
          "name such a one with COLLIO_PYTHON, or install collio again", file=sys.stderr)
    sys.exit(125)

from collio.run.start import main  # noqa: E402

main()
