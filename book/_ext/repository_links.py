"""Points the launch buttons at the repository that the book is built from.

So a fork's site launches the fork. The repository is the one that GitHub's CI names, else the git remote
`origin`; where neither names one on GitHub, the pages show no link to a repository.
"""

import os
import re
import subprocess

GITHUB = re.compile(r"(^|[/@.])github\.com[/:](?P<owner>[\w.-]+)/(?P<name>[\w.-]+?)(\.git)?/?$")
LAUNCH_BUTTONS = {
    "notebook_interface": "jupyterlab",
    "binderhub_url": "https://mybinder.org",
    "colab_url": "https://colab.research.google.com",
}


def _git(source, *arguments):
    """What git prints, or an empty string where there is no git, no repository or no answer."""
    try:
        done = subprocess.run(["git", *arguments], cwd=source, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return done.stdout.strip()


def find_repository(source, environ=os.environ):
    """The address and the branch of the GitHub repository that `source` belongs to, or None.

    The address is made from its owner and name alone, so no password in a remote's URL reaches a page.
    """
    if environ.get("GITHUB_REPOSITORY"):
        remote = f"{environ.get('GITHUB_SERVER_URL', 'https://github.com')}/{environ['GITHUB_REPOSITORY']}"
        branch = environ.get("GITHUB_REF_NAME")
    else:
        remote = _git(source, "remote", "get-url", "origin")
        branch = _git(source, "branch", "--show-current")
    match = GITHUB.search(remote)
    if not match:
        return None
    return f"https://github.com/{match['owner']}/{match['name']}", branch or "main"


def add_links(app, config):
    repository = find_repository(app.srcdir)
    if repository:
        url, branch = repository
        options = {
            "repository_url": url,
            "repository_branch": branch,
            "use_repository_button": True,
            "launch_buttons": LAUNCH_BUTTONS,
        }
    else:
        # Jupyter Book's own defaults name its own repository.
        options = {"repository_url": "", "use_repository_button": False, "launch_buttons": {}}
    config.html_theme_options.update(options)


def setup(app):
    app.connect("config-inited", add_links)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
