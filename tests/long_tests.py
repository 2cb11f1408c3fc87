"""Whether this run is a long one: all cases and variants, not those alone that a short run has (see
CONTRIBUTING.md)."""

import os

LONG = os.environ.get("COLLIO_LONG_TESTS", "OFF") not in ("", "0", "OFF")
