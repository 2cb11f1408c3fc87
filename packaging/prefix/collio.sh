#!/bin/sh
# Runs collio @VERSION@ out of the prefix that this file lies in, wherever that has been moved to.
# Its Python packages are for Python @PYTHON_VERSION@. COLLIO_PYTHON names another interpreter of that version than the one it was installed with.
file=$(readlink -f -- "$0")
prefix=${file%/*/*}
find_python() {
  for python in "$@"; do
    command -v -- "$python" >/dev/null 2>&1 && return
  done
  echo "collio: there is no $*: install Python @PYTHON_VERSION@, or name one with COLLIO_PYTHON" >&2
  exit 125
}
if [ -n "$COLLIO_PYTHON" ]; then
  find_python "$COLLIO_PYTHON"
else
  find_python "@PYTHON@" python@PYTHON_VERSION@ python3
fi
exec "$python" @PYTHON_FLAGS@ "$prefix/lib/collio/python" "$@"
