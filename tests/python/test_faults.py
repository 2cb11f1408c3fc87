"""Texts of faults: what `collio run` refuses before a job starts."""

import pytest

from collio import builds, config, faults, hints

GOOD = [
    "none",
    "@/tmp/rules",
    "all:write:ENOSPC",
    "0,2-5:read3+:EIO",
    "aggregators:sync:EDQUOT",
    "aggregator=1,3-4:open2:EMFILE",
    "all:write1-3:delay=0.25,stuck=2,EINTR=3,short=100,EFBIG",
    "all:read:ZERO",
    "all:open:EINTR",
    "0:write:EIO/3:write:ENOSPC",
    "all:write:delay=.5",
]
BAD = [
    "",
    "all",
    "all:write",
    "all:write:",
    "every:write:EIO",
    "1-:write:EIO",
    "3-1:write:EIO",
    "1,:write:EIO",
    "all:writes:EIO",
    "all:write0:EIO",
    "all:write:eio",
    "all:write:EIO,EIO",
    "all:write:delay=0",
    "all:write:delay=1e3",
    "all:write:delay=3601",
    "all:write:EINTR=1001",
    "all:open:short=1",
    "all:sync:ZERO",
    "all:write:EIO/",
    "@",
    "none/all:write:EIO",
    " all:write:EIO",
    "all:write:short=99999999999999999999",
]


@pytest.fixture(autouse=True)
def judge():
    if builds.find_program(faults.JUDGE) is None:
        pytest.skip(f"{faults.JUDGE} is not built")


@pytest.mark.parametrize("text", GOOD)
def test_allowed(text):
    assert hints.check_hint("collio_faults", text) == (text, None)


@pytest.mark.parametrize("text", BAD)
def test_refused_with_the_part_that_is_wrong(text):
    wrong = faults.wrong_part(text)
    assert wrong is not None
    part, _, rest = wrong[1:].partition("'")
    assert part in text and "is not allowed (allowed: none, @FILE, or WHO:WHERE:EFFECT" in rest


def test_without_the_judge_the_text_is_handed_on(monkeypatch):
    monkeypatch.setattr(builds, "find_program", lambda name: None)
    assert hints.check_hint("collio_faults", "all:write") == ("all:write", None)


def test_a_wrong_text_in_the_environment_stops_the_job_before_it_starts():
    with pytest.raises(
        hints.HintError, match="COLLIO_FAULTS: .*'ENOSPACE' in 'all:write:ENOSPACE' is not allowed"
    ):
        config.gather_settings([], {"COLLIO_FAULTS": "all:write:ENOSPACE", "HOME": "/nonexistent"})
    settings = config.gather_settings(
        ["collio_faults=none"], {"COLLIO_FAULTS": "all:write:EIO", "HOME": "/nonexistent"}
    )
    assert settings.hints["collio_faults"] == "none"
