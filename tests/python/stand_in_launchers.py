"""Stand-ins for launchers that few machines have: each does to the environment what its manual says, and
records how it was started.

They show that `collio run` uses the options as they are documented. That the real launchers do what is
documented they cannot show.
"""

import json
import sys
from pathlib import Path

# Begins as a shell script: a first line holds no path with spaces.
MAIN = """#!/bin/sh
''':'
exec "{python}" "$0" "$@"
' '''
import fnmatch, json, os, subprocess, sys

words = sys.argv[1:]
if words == ["--version"]:
    print({version!r})
    sys.exit()
with open(__file__ + ".record", "w") as stream:
    json.dump({{"words": words, "environ": dict(os.environ)}}, stream)

def parts(words):
    part = []
    for word in [*words, ":"]:
        if word == ":":
            yield part
            part = []
        else:
            part.append(word)

def assign(environ, text):
    name, equals, value = text.partition("=")
    environ[name] = value if equals else os.environ[name]

def run(program, environ):
    code = subprocess.run(program, env={{"PATH": os.environ["PATH"], **environ}}).returncode
    if code:
        sys.exit(code)

{body}
"""

# --env=RULE, in order: -PATTERN removes, NAME=VALUE sets, else PATTERN copies what is not there yet.
FLUX = """
assert words.pop(0) in ("run", "submit")
environ = dict(os.environ)
while words[0].startswith("-"):
    option, equals, rule = words.pop(0).partition("=")
    if option in ("-n", "-N"):
        words.pop(0)
    elif option == "--env":
        rule = rule if equals else words.pop(0)
        if rule.startswith("-"):
            environ = {name: value for name, value in environ.items() if not fnmatch.fnmatch(name, rule[1:])}
        elif "=" in rule:
            assign(environ, rule)
        else:
            chosen = {name: value for name, value in os.environ.items() if fnmatch.fnmatch(name, rule)}
            environ = chosen | environ
    elif option == "--env-remove":
        environ = {name: value for name, value in environ.items() if not fnmatch.fnmatch(name, rule)}
run(words, environ)
"""

# The environment is handed on, except -D NAME; -E NAME[=VALUE] sets. Each part has its own options.
JSRUN = """
for part in parts(words):
    environ = dict(os.environ)
    while part[0].startswith("-"):
        option, value = part.pop(0), part.pop(0)
        if option in ("-E", "--env"):
            assign(environ, value)
        elif option == "-D":
            environ.pop(value, None)
        else:
            assert option in ("-n", "-a", "-c", "-r", "-b")
    run(part, environ)
"""

# The login node's environment is handed on; -e NAME=VALUE overrides it, for all parts.
APRUN = """
environ = dict(os.environ)
for part in parts(words):
    while part[0].startswith("-"):
        option, value = part.pop(0), part.pop(0)
        if option == "-e":
            assert "=" in value
            assign(environ, value)
    run(part, environ)
"""

# The environment is handed on, unless --envnone; --env NAME=VALUE sets it for a part.
PALS = """
for part in parts(words):
    environ, given = dict(os.environ), {}
    while part[0].startswith("-"):
        option, equals, value = part.pop(0).partition("=")
        if option == "--envnone":
            environ = {}
        elif option not in ("--envall", "--no-vni"):
            value = value if equals else part.pop(0)
            if option == "--env":
                assign(given, value)
    run(part, environ | given)
"""

# As Open MPI's mpirun: what -x names, in each part.
PRTERUN = """
for part in parts(words):
    environ = {}
    while part[0].startswith("-"):
        option, value = part.pop(0), part.pop(0)
        if option == "-x":
            assign(environ, value)
    run(part, environ)
"""

# Intel's: as MPICH's.
INTEL = """
environ, given = dict(os.environ), {}
while words[0].startswith("-"):
    option = words.pop(0)
    if option == "-genvnone":
        environ = {}
    elif option == "-genv":
        name, value = words.pop(0), words.pop(0)
        given[name] = value
    else:
        words.pop(0)
run(words, environ | given)
"""

LAUNCHERS = {
    "flux": (FLUX, "commands: 0.66.0"),
    "jsrun": (JSRUN, "jsrun 10.4"),
    "aprun": (APRUN, "aprun (ALPS) 6.6"),
    "pals/mpiexec": (PALS, "mpiexec version 1.2.12"),
    "prterun": (PRTERUN, "prterun (PRRTE) 3.0.2"),
    "mpiexec.hydra": (INTEL, "Intel(R) MPI Library for Linux* OS, Version 2021.13"),
}


def make(folder: Path, name: str) -> Path:
    """The executable `name` of LAUNCHERS in `folder`."""
    body, version = LAUNCHERS[name]
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(MAIN.format(python=sys.executable, version=version, body=body))
    path.chmod(0o755)
    return path


def record(launcher: Path) -> dict:
    """How a stand-in was started last: `words` and `environ`."""
    return json.loads(Path(f"{launcher}.record").read_text())
