"""The launch buttons name the repository that the book is built from, or nothing is shown."""

import sys

import pytest
from built_site import ROOT

sys.path.insert(0, str(ROOT / "book" / "_ext"))
import repository_links  # noqa: E402

FORK = "https://github.com/teacher/fork"


@pytest.mark.parametrize(
    "remote, url",
    [
        ("https://github.com/teacher/fork.git", FORK),
        ("https://github.com/teacher/fork/", FORK),
        ("git@github.com:teacher/fork.git", FORK),
        ("https://someone:secret@github.com/teacher/fork", FORK),
        ("/srv/git/fork.git", None),
        ("https://notgithub.com/teacher/fork.git", None),
        ("https://git.example.org/teacher/fork.git", None),
        ("", None),
    ],
)
def test_the_remote_is_followed(monkeypatch, remote, url):
    monkeypatch.setattr(repository_links, "_git", lambda _, *arguments: {"remote": remote}.get(arguments[0], "dev"))
    assert repository_links.find_repository(ROOT, {}) == (url and (url, "dev"))


def test_ci_comes_before_the_remote(monkeypatch):
    monkeypatch.setattr(repository_links, "_git", lambda *_: "https://github.com/someone/else")
    ci = {"GITHUB_SERVER_URL": "https://github.com", "GITHUB_REPOSITORY": "teacher/fork", "GITHUB_REF_NAME": "main"}
    assert repository_links.find_repository(ROOT, ci) == (FORK, "main")


def test_no_repository_is_no_error(tmp_path):
    assert repository_links.find_repository(tmp_path, {}) is None
