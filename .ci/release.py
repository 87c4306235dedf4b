"""Check that a version can be released, build its distributions and try them: ``tox -e release -- VERSION``.

All that is wrong is listed before anything is built. Needs Python 3.11 or later, git, bash and hatchling; pip downloads the
dependencies of irmx. What is built is left in ``dist/VERSION``. Nothing is published: the last lines tell what to do by hand.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

import tomllib

TOP = Path(__file__).resolve().parent.parent


def distributions(top: Path) -> dict[Path, dict]:
    """Return the table ``project`` of every distribution by its folder, that of irmx first."""
    folders = [top, *sorted(p.parent for p in top.glob("plugins/*/pyproject.toml"))]
    return {f: tomllib.loads((f / "pyproject.toml").read_text(encoding="utf-8"))["project"] for f in folders}


def git(top: Path, *arguments: str) -> str:
    """Return what a command of git prints."""
    return subprocess.run(["git", *arguments], cwd=top, check=True, capture_output=True, text=True).stdout.strip()


def problems(top: Path, version: str) -> list[str]:
    """Return why a version cannot be released, one sentence each; an empty list where it can."""
    if not (numbers := re.fullmatch(r"(\d+)\.(\d+)\.(\d+)", version)):
        return [f"A version is three numbers, such as 0.2.0. Got {version!r}."]
    reasons = []
    if changed := git(top, "status", "--porcelain").splitlines():
        names = ", ".join(line.split(maxsplit=1)[1] for line in changed)
        reasons.append(f"The checkout has changes that are not committed: {names}.")
    if git(top, "tag", "--list", f"v{version}"):
        reasons.append(f"There is a tag v{version} already.")
    if (top / "dist" / version).exists():
        reasons.append(f"There is a folder dist/{version} already. Remove it.")
    host, *plugins = (project for project in distributions(top).values())
    major, minor = int(numbers[1]), int(numbers[2])
    limits = f">={major}.{minor},<{major}.{minor + 1}"
    for project in (host, *plugins):
        if project["version"] != version:
            reasons.append(f"The version of {project['name']} is {project['version']}.")
    for project in plugins:
        if f"irmx{limits}" not in project["dependencies"]:
            reasons.append(f"The dependencies of {project['name']} lack 'irmx{limits}'.")
        if f"{project['name']}{limits}" not in host.get("optional-dependencies", {}).get("plugins", []):
            reasons.append(f"The extra 'plugins' of irmx lacks '{project['name']}{limits}'.")
    changes = (top / "CHANGELOG.md").read_text(encoding="utf-8")
    if not re.search(rf"^## \[{re.escape(version)}\] - \d{{4}}-\d\d-\d\d$", changes, flags=re.MULTILINE):
        reasons.append(f"CHANGELOG.md has no line '## [{version}] - YYYY-MM-DD'.")
    return reasons


def build(top: Path, into: Path) -> None:
    """Build the source distribution and the wheel of every distribution, each from a clean copy of the commit."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy"
        git(top, "clone", "--quiet", "--local", str(top), str(copy))
        for source in distributions(copy):
            subprocess.run(
                [sys.executable, "-m", "hatchling", "build", "--directory", str(into)], cwd=source, check=True
            )


def run_demo(wheels: list[Path]) -> None:
    """Install wheels in a fresh environment, and run ``irmx demo`` there; a plugin that is not loaded is an error."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        scripts = Path(folder) / ("Scripts" if os.name == "nt" else "bin")
        subprocess.run([scripts / "python", "-m", "pip", "install", "--quiet", *wheels], cwd=folder, check=True)
        subprocess.run([scripts / "irmx", "demo"], cwd=folder, check=True)
        listed = subprocess.run([scripts / "irmx", "plugins"], cwd=folder, check=True, capture_output=True, text=True)
        names = {wheel.name.partition("-")[0].replace("_", "-") for wheel in wheels} - {"irmx"}
        if missing := [name for name in sorted(names) if f"({name})" not in listed.stdout]:
            sys.exit(f"Not in use after its installation: {', '.join(missing)}.\n{listed.stdout}{listed.stderr}")


BY_HAND = """
{version} is ready. What is left to do:

  1. Read the section {version} of CHANGELOG.md once more: every value that changed is in its table.
  2. git tag -a v{version} -m 'irmx {version}' && git push origin v{version}
     The workflow .github/workflows/release.yml builds from the tag again and publishes on PyPI.
     Without it: python -m twine upload dist/{version}/*
  3. In a fresh environment: python -m pip install 'irmx[plugins]=={version}' && irmx demo
  4. Begin the next section of CHANGELOG.md, '## [{next}] - unreleased'.
"""


def main(arguments: list[str] | None = None) -> None:
    """Check, test, build and try a version; exit with 1 and the reasons where it is not ready."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("version", help="such as 0.2.0")
    parser.add_argument("--tested", action="store_true", help="do not run .ci/run: it passed for this commit elsewhere")
    options = parser.parse_args(arguments)
    if reasons := problems(TOP, options.version):
        sys.exit("\n  ".join([f"{options.version} cannot be released:", *reasons]))
    if not options.tested and subprocess.run([TOP / ".ci" / "run"], cwd=TOP).returncode:
        sys.exit(f"{options.version} cannot be released: .ci/run fails.")
    built = TOP / "dist" / options.version
    build(TOP, built)
    run_demo(sorted(built.glob("*.whl")))
    major, minor, _ = options.version.split(".")
    print(BY_HAND.format(version=options.version, next=f"{major}.{int(minor) + 1}.0"))


if __name__ == "__main__":
    main()
