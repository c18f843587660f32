"""Finds the Chromium that the site tests run in; as a script, gets one where there is none.

`CHROMIUM` in the environment names one. Else it is the first that answers of: the usual names on the path,
the place of Google Chrome on macOS, Playwright's own download.
"""

import os
import shutil
import subprocess
import sys

from playwright.sync_api import sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
ON_MACOS = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-sync",
    "--disable-background-networking",
    "--disable-component-update",
]
# Besides what a test itself stops: no name resolves, whoever asks, a worker included.
NO_OTHER_HOST = "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"


def answers(path):
    """Whether `path` is a browser that starts; on some systems it is a stub that says what to install."""
    try:
        done = subprocess.run([path, "--version"], capture_output=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def find():
    """The path of a Chromium that starts, or None."""
    if named := os.environ.get("CHROMIUM"):
        if not answers(named):
            raise FileNotFoundError(f"CHROMIUM={named!r} is not a browser that starts")
        return named
    installed = next(filter(answers, [*filter(None, map(shutil.which, NAMES)), ON_MACOS]), None)
    return installed or _playwrights_own()


def _playwrights_own():
    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if answers(path) else None


def get():
    """Install a Chromium: as root Debian's package, else, or where that fails, Playwright's own."""
    if os.geteuid() == 0 and shutil.which("apt-get"):
        subprocess.run(["apt-get", "update"])
        subprocess.run(["apt-get", "install", "-y", "--no-install-recommends", "chromium"])
        if find():
            return
    subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"])


if __name__ == "__main__":
    if not find():
        print("No Chromium found; installing one", flush=True)
        get()
    found = find()
    if not found:
        sys.exit("No Chromium, and none could be installed. Install one, or say where: make test CHROMIUM=…")
    print(found)
