"""How repo2docker makes Binder's image of the repository in the working folder, as JSON.

Runs where `requirements.txt` is installed, and needs no container engine.
"""

import json
import re
from pathlib import Path

from repo2docker import buildpacks
from repo2docker.app import Repo2Docker

BASE = re.compile(r"/([\w.-]+)-([\w.]+)-\w+\.(?:conda|tar\.bz2)#")


def main():
    app = Repo2Docker()
    packs = (kind(app.base_image) for kind in app.buildpacks)
    pack = next(pack for pack in packs if pack.detect())
    pack.platform = "linux/amd64"
    places = {place: source for source, place in pack.get_build_script_files().items()}
    lock = Path(buildpacks.__file__).parent / places["/tmp/env/environment.lock"]
    steps = [*pack.get_preassemble_scripts(), *pack.get_assemble_scripts()]
    recipe = {
        "pack": type(pack).__name__,
        "python": pack.python_version,
        "base": dict(BASE.findall(lock.read_text(encoding="utf-8"))),
        "steps": [script.strip() for _, script in steps],
        "start": [pack.get_post_build_scripts(), pack.get_start_script()],
    }
    print(json.dumps(recipe))


if __name__ == "__main__":
    main()
