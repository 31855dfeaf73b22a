"""Builds a wheel of the module with libmaxk.so inside: the backend of pyproject.toml (PEP 517), and `make wheel`.

The shared libraries that libmaxk.so needs, but those of every system, are copied next to it under names of their own (patchelf),
so that neither their packages are needed nor libraries of other modules meant. Without patchelf the wheel is for this machine."""
from __future__ import annotations

import base64
import hashlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from pathlib import Path
from typing import Any, Optional

HERE = Path(__file__).resolve().parent
TOP = HERE.parents[1]
SYSTEM = re.compile(r"(ld-linux.*|lib(c|m|dl|rt|pthread|resolv|gcc_s))\.so\.")  # of glibc and gcc: everywhere
SUMMARY = 'Max-K-armed ("extreme") bandits: simulation, theory, and searches over algorithms and their hyperparameters'


def _run(*command: str) -> str:
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}")
    return done.stdout


def _version() -> str:
    numbers = re.findall(r"define MAXK_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", (TOP / "sim/api/maxk/maxk.h").read_text())
    return ".".join(numbers)


def _needed(library: str) -> dict[str, str]:
    """The libraries that it needs, and those that they need: name → path."""
    found = re.findall(r"(\S+) => (/\S+)", _run("ldd", library))
    return {name: path for name, path in found if not SYSTEM.match(name)}


def _bundle(library: Path, folder: Path) -> None:
    """The library and what it needs, in a folder where they find each other."""
    own = folder / f"libmaxk.so.{_version().split('.')[0]}"
    shutil.copy(library, own)
    names: dict[str, str] = {}
    for name, path in _needed(str(library)).items():
        digest = hashlib.sha256(Path(path).read_bytes()).hexdigest()[:8]
        names[name] = re.sub(r"\.so", f"-{digest}.so", name, count=1)
        shutil.copy(path, folder / names[name])
    for own in sorted(folder.iterdir()):
        own.chmod(0o755)
        needed = _run("patchelf", "--print-needed", str(own)).split()
        replaced = [word for name in needed if name in names for word in ("--replace-needed", name, names[name])]
        _run("patchelf", "--set-soname", own.name, str(own))
        if replaced:
            _run("patchelf", *replaced, str(own))
        _run("patchelf", "--set-rpath", "$ORIGIN", str(own))


def _tag(bundled: bool) -> str:
    glibc = os.confstr("CS_GNU_LIBC_VERSION").split()[1].replace(".", "_")  # type: ignore[union-attr]
    machine = sysconfig.get_platform().split("-")[-1]
    return f"py3-none-manylinux_{glibc}_{machine}" if bundled else f"py3-none-linux_{machine}"


def _metadata() -> str:
    return (f"Metadata-Version: 2.1\nName: maxk\nVersion: {_version()}\nSummary: {SUMMARY}\nLicense: GPL-3.0-or-later\n"
            "Requires-Python: >=3.9\nProvides-Extra: arrays\nRequires-Dist: numpy; extra == 'arrays'\n"
            "Provides-Extra: frames\nRequires-Dist: pandas; extra == 'frames'\nRequires-Dist: xarray; extra == 'frames'\n"
            "Provides-Extra: sklearn\nRequires-Dist: scikit-learn>=1.2; extra == 'sklearn'\n"
            "Description-Content-Type: text/markdown\n\n" + (HERE / "README.md").read_text())


def build_wheel(wheel_directory: str, config_settings: Optional[dict[str, Any]] = None,
                metadata_directory: Optional[str] = None) -> str:
    """Writes the wheel into a folder; its name."""
    print(_run("make", "--no-print-directory", "-C", str(TOP), f"-j{os.cpu_count() or 1}", "build/libmaxk.so"), end="")
    bundled = shutil.which("patchelf") is not None
    tag, info = _tag(bundled), f"maxk-{_version()}.dist-info"
    name = f"maxk-{_version()}-{tag}.whl"
    with tempfile.TemporaryDirectory() as folder:
        library = TOP / "build/libmaxk.so"
        if bundled:
            _bundle(library, Path(folder))
        else:
            shutil.copy(library, Path(folder, f"libmaxk.so.{_version().split('.')[0]}"))
        files = {f"maxk/{path.name}": path.read_bytes() for path in sorted((HERE / "maxk").iterdir())
                 if path.suffix in (".py", ".typed")}
        files |= {f"maxk/lib/{path.name}": path.read_bytes() for path in sorted(Path(folder).iterdir())}
    files[f"{info}/METADATA"] = _metadata().encode()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: maxk\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    files[f"{info}/LICENSE"] = (TOP / "LICENSE").read_bytes()
    digest = {path: base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=") for path, data in files.items()}
    record = "".join(f"{path},sha256={digest[path].decode()},{len(data)}\n" for path, data in files.items())
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    os.makedirs(wheel_directory, exist_ok=True)
    with zipfile.ZipFile(Path(wheel_directory, name), "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path)  # of 1980: the same bytes again for the same files
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o100644 << 16
            wheel.writestr(entry, data)
    return name


def build_sdist(sdist_directory: str, config_settings: Optional[dict[str, Any]] = None) -> str:
    """The source is the whole checkout, `make dist`."""
    raise SystemExit("maxk: the source is the whole checkout, which `make dist` packs; expected a wheel")


if __name__ == "__main__":
    print(Path(sys.argv[1], build_wheel(sys.argv[1])))
