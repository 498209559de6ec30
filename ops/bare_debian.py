"""A bare Debian below a folder, and what it needs of this machine to reach its packages."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
HOST_FILES = (Path("/etc/resolv.conf"), Path("/etc/hosts"))


class DebootstrapError(Exception):
    """There is no such root; the message has debootstrap's last words."""


def copy_of_debian(base: Path, root: Path, release: str, *, include: str = "") -> None:
    """A fresh root, copied from `base`, which debootstrap makes first if it is not there."""
    if not (base / "etc/debian_version").exists():
        more = [f"--include={include}"] if include else []
        words = ["debootstrap", "--variant=minbase", *more, release, str(base), *_mirror(release)]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode:
            raise DebootstrapError(f"debootstrap {release}: {done.stdout[-500:]}{done.stderr[-500:]}")
    if root.exists():
        shutil.rmtree(root)
    root.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["cp", "-a", "--reflink=auto", base, root], check=True)


LENT_CERTIFICATES = "/srv/lent-certificates.crt"
"""Where a root finds the certificates of the machine that it lies on."""


def lend_network(root: Path) -> dict[str, str]:
    """Put this machine's name servers and its certificates into the root.

    Returns the environment with which pip uses them; the package ca-certificates may not be there yet.
    """
    for file in HOST_FILES:
        if file.exists():
            shutil.copyfile(file, root / file.relative_to("/"))
    environment = {name: value for name, value in os.environ.items() if name.lower().endswith("_proxy")}
    if CERTIFICATES.exists():
        shutil.copyfile(CERTIFICATES, root / LENT_CERTIFICATES.lstrip("/"))
        environment |= {"PIP_CERT": LENT_CERTIFICATES}
    return environment


def _mirror(release: str) -> list[str]:
    """The mirror that this machine's apt uses for the release, if it uses one."""
    words = ["apt-get", "indextargets", "--format", "$(REPO_URI)"]
    words += [f"Codename: {release}", "Created-By: Packages"]
    return subprocess.run(words, capture_output=True, text=True, check=False).stdout.split()[:1]
