"""Texts of faults: what `collio run` refuses before a job starts, and that the engine judges alike."""

import random
import subprocess

import pytest

from collio import builds, config, faults, hints, mpi_libraries

GOOD = ["none", "@/tmp/rules", "all:write:ENOSPC", "0,2-5:read3+:EIO", "aggregators:sync:EDQUOT", "aggregator=1,3-4:open2:EMFILE",
        "all:write1-3:delay=0.25,stuck=2,EINTR=3,short=100,EFBIG", "all:read:ZERO", "all:open:EINTR", "0:write:EIO/3:write:ENOSPC", "all:write:delay=.5"]
BAD = ["", "all", "all:write", "all:write:", "every:write:EIO", "1-:write:EIO", "3-1:write:EIO", "1,:write:EIO", "all:writes:EIO", "all:write0:EIO",
       "all:write:eio", "all:write:EIO,EIO", "all:write:delay=0", "all:write:delay=1e3", "all:write:delay=3601", "all:write:EINTR=1001", "all:open:short=1",
       "all:sync:ZERO", "all:write:EIO/", "@", "none/all:write:EIO", " all:write:EIO", "all:write:short=99999999999999999999"]


@pytest.mark.parametrize("text", GOOD)
def test_allowed(text):
    assert hints.check_hint("collio_faults", text) == (text, None)


@pytest.mark.parametrize("text", BAD)
def test_refused_with_the_part_that_is_wrong(text):
    wrong = faults.wrong_part(text)
    assert wrong is not None and wrong in text


def test_a_wrong_text_in_the_environment_stops_the_job_before_it_starts():
    with pytest.raises(hints.HintError, match="COLLIO_FAULTS: .*'ENOSPACE' is not allowed"):
        config.gather_settings([], {"COLLIO_FAULTS": "all:write:ENOSPACE", "HOME": "/nonexistent"})
    settings = config.gather_settings(["collio_faults=none"], {"COLLIO_FAULTS": "all:write:EIO", "HOME": "/nonexistent"})
    assert settings.hints["collio_faults"] == "none"


def mutated(random_source):
    """A text near the allowed ones."""
    text = list(random_source.choice(GOOD + BAD))
    alphabet = "0123456789,-+=:/.@EINTRZOall writedelayshortstuck"
    for _ in range(random_source.randrange(4)):
        at = random_source.randrange(len(text) + 1)
        action = random_source.randrange(3)
        if action == 0:
            text.insert(at, random_source.choice(alphabet))
        elif action == 1 and text:
            del text[min(at, len(text) - 1)]
        elif text:
            other = random_source.choice(GOOD)
            text[at:] = other[random_source.randrange(len(other)):]
    return "".join(text)


def test_the_engine_judges_alike():
    programs = [builds.Build.of(library).program("collio_judge_faults") for library in mpi_libraries.find_mpi_libraries()]
    program = next((path for path in programs if path.exists()), None)
    if program is None:
        pytest.skip("collio_judge_faults is not built")
    seed = random.randrange(1 << 32)
    source = random.Random(seed)
    texts = GOOD + BAD + [mutated(source) for _ in range(20000)]
    said = subprocess.run([program], input="\n".join(texts) + "\n", capture_output=True, text=True, check=True).stdout.split()
    assert len(said) == len(texts)
    differing = [text for text, word in zip(texts, said) if (word == "allowed") != (faults.wrong_part(text) is None)]
    assert not differing, f"seed {seed}: {differing[:5]}"
    assert 1000 < said.count("allowed") < 19000
