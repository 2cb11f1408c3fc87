"""`python3 -m collio` is the command `collio`."""

from importlib import import_module

import_module("collio.run.start").main()  # by its name: no room imports this file, and this one none
