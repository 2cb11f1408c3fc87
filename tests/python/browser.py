"""A page in headless Chromium: what its console says, and its document once scripts have run."""

import re
import shutil
import subprocess

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")
SECONDS = 60


def run(page, *options):
    """Chromium on a page, without network. Skips the test where there is none."""
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        pytest.skip("no Chromium")
    return subprocess.run(
        [
            program,
            *("--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--v=0"),
            *("--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={page.parent / 'browser'}"),
            *options,
            page.as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )


def document_of(page, width=1000, script=""):
    """The document's text after its scripts. `script`: runs before it is taken. Fails where the console has a
    line."""
    looked_at = page.with_suffix(".tested.html")
    looked_at.write_text(page.read_text().replace("</body>", f"<script>{script}</script></body>"))
    done = run(looked_at, f"--window-size={width},2000", "--virtual-time-budget=2000", "--dump-dom")
    console = [line for line in done.stderr.splitlines() if ":CONSOLE" in line]
    assert done.returncode == 0 and not console, console or done.stderr
    return re.sub(r"<script\b.*?</script>", "", done.stdout, flags=re.DOTALL)
