"""What tests of an installation ask other programs."""

import os
import shutil
import subprocess

import pytest


def said(*words, **environment):
    done = subprocess.run(
        [str(word) for word in words],
        env=dict(os.environ, **environment),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def tool(name):
    return shutil.which(name) or pytest.skip(f"no {name} on this machine")
