#!/usr/bin/env python3
"""Makes packages from a built program, by packaging/description.json: archives with checksums, npm packages, an installer
and a Homebrew formula. Needs Python 3.9 and nothing else.

    pack.py archive TARGET PROGRAM OUT     attn-vVERSION-TARGET.tar.gz (.zip for Windows), and its .sha256
    pack.py npm TARGET PROGRAM OUT         the npm package of one platform, as a folder
    pack.py npm-main OUT                   the npm package `attn`, which depends on those of the platforms
    pack.py installer REPOSITORY OUT       install.sh
    pack.py formula REPOSITORY FOLDER OUT  attn.rb, with the checksums of the archives in FOLDER
    pack.py crate REPOSITORY OUT           the sources as the crate that is published, under a name of its own
    pack.py matrix                         the platforms, for the release workflow
    pack.py version                        the version
"""

import hashlib
import json
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGING = ROOT / "packaging"
ABOUT = json.loads((PACKAGING / "description.json").read_text(encoding="utf-8"))
DOCUMENTS = ["README.md", "LICENSE-MIT", "LICENSE-APACHE"]


def version():
    manifest = (ROOT / "Cargo.toml").read_text(encoding="utf-8")
    return re.search(r'^version = "([^"]+)"', manifest, re.MULTILINE).group(1)


def platform(target):
    for known in ABOUT["targets"]:
        if known["target"] == target:
            return known
    names = ", ".join(known["target"] for known in ABOUT["targets"])
    sys.exit(f"pack.py: {target} is none of {names}")


def program_name(target):
    return ABOUT["command"] + (".exe" if "windows" in target else "")


def archive_name(target):
    ending = "zip" if "windows" in target else "tar.gz"
    return f"{ABOUT['name']}-v{version()}-{target}.{ending}"


def archive(target, program, out):
    platform(target)
    out = Path(out)
    out.mkdir(parents=True, exist_ok=True)
    path = out / archive_name(target)
    folder = f"{ABOUT['name']}-v{version()}-{target}"
    files = [(Path(program), program_name(target), 0o755)]
    files += [(ROOT / name, name, 0o644) for name in DOCUMENTS]
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
            for source, name, _ in files:
                packed.write(source, f"{folder}/{name}")
    else:
        with tarfile.open(path, "w:gz", compresslevel=9) as packed:
            for source, name, mode in files:
                about = packed.gettarinfo(source, f"{folder}/{name}")
                about.mode, about.uid, about.gid, about.uname, about.gname = mode, 0, 0, "", ""
                with open(source, "rb") as content:
                    packed.addfile(about, content)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    path.with_name(path.name + ".sha256").write_text(f"{digest}  {path.name}\n", encoding="utf-8")
    print(path)


def write_json(path, value):
    path.write_text(json.dumps(value, indent=2) + "\n", encoding="utf-8")


def npm(target, program, out):
    known = platform(target)
    name = f"{ABOUT['name']}-{known['npm']}"
    folder = Path(out) / name
    (folder / "bin").mkdir(parents=True, exist_ok=True)
    shutil.copy2(program, folder / "bin" / program_name(target))
    (folder / "bin" / program_name(target)).chmod(0o755)
    about = {
        "name": name,
        "version": version(),
        "description": f"{ABOUT['description']}: the program for {known['npm']}",
        "license": ABOUT["license"],
        "os": [known["os"]],
        "cpu": [known["cpu"]],
        "files": ["bin"],
        "preferUnplugged": True,
    }
    if "glibc" in known:
        about["libc"] = ["glibc"]
    write_json(folder / "package.json", about)
    print(folder)


def npm_main(out):
    folder = Path(out) / ABOUT["name"]
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy2(PACKAGING / "npm" / "attn.js", folder / "attn.js")
    shutil.copy2(PACKAGING / "python" / "README.md", folder / "README.md")
    write_json(
        folder / "package.json",
        {
            "name": ABOUT["name"],
            "version": version(),
            "description": ABOUT["description"],
            "license": ABOUT["license"],
            "bin": {ABOUT["command"]: "attn.js"},
            "files": ["attn.js"],
            "engines": {"node": ">=16"},
            "optionalDependencies": {f"{ABOUT['name']}-{known['npm']}": version() for known in ABOUT["targets"]},
        },
    )
    print(folder)


def installer(repository, out):
    text = (PACKAGING / "install.sh").read_text(encoding="utf-8")
    path = Path(out) / "install.sh"
    path.write_text(text.replace("@REPOSITORY@", repository).replace("@VERSION@", version()), encoding="utf-8")
    path.chmod(0o755)
    print(path)


def formula(repository, folder, out):
    def source(target):
        name = archive_name(target)
        digest = (Path(folder) / f"{name}.sha256").read_text(encoding="utf-8").split()[0]
        return f'url "{repository}/releases/download/v{version()}/{name}"\n      sha256 "{digest}"'

    lines = [
        "class Attn < Formula",
        f'  desc "{ABOUT["description"]}"',
        f'  homepage "{repository}"',
        f'  version "{version()}"',
        '  license any_of: ["MIT", "Apache-2.0"]',
    ]
    for system, of in [("macos", "apple-darwin"), ("linux", "unknown-linux-gnu")]:
        lines.append(f"  on_{system} do")
        for cpu, arch in [("arm", "aarch64"), ("intel", "x86_64")]:
            lines += [f"    on_{cpu} do", "      " + source(f"{arch}-{of}"), "    end"]
        lines.append("  end")
    lines += ["  def install", '    bin.install "attn"', "  end"]
    lines += ["  test do", '    assert_match "0.1455", shell_output("#{bin}/attn run sum-normalised")', "  end", "end", ""]
    path = Path(out) / "attn.rb"
    path.write_text("\n".join(lines), encoding="utf-8")
    print(path)


def crate(repository, out):
    """On crates.io the name `attn` belongs to another program, so that the published crate has another one; the command
    stays. `cargo binstall` finds the archives by the repository that the manifest names."""
    folder = Path(out) / ABOUT["crate"]
    shutil.rmtree(folder, ignore_errors=True)
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True).stdout.decode()
    for name in filter(None, listed.split("\0")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, folder / name)
    manifest = (folder / "Cargo.toml").read_text(encoding="utf-8")
    own = f'name = "{ABOUT["crate"]}"\nrepository = "{repository}"\n'
    manifest, count = re.subn(r'^name = "attn"\n', own, manifest, count=1, flags=re.MULTILINE)
    assert count == 1 and manifest.index(own) < manifest.index("[lib]"), "the package's name is not where it was"
    (folder / "Cargo.toml").write_text(manifest, encoding="utf-8")
    lock = (folder / "Cargo.lock").read_text(encoding="utf-8")
    lock = lock.replace('[[package]]\nname = "attn"\n', f'[[package]]\nname = "{ABOUT["crate"]}"\n')
    (folder / "Cargo.lock").write_text(lock, encoding="utf-8")
    print(folder)


def matrix():
    print(json.dumps({"include": ABOUT["targets"]}))


COMMANDS = {
    "archive": (archive, 3),
    "npm": (npm, 3),
    "npm-main": (npm_main, 1),
    "installer": (installer, 2),
    "formula": (formula, 3),
    "crate": (crate, 2),
    "matrix": (matrix, 0),
    "version": (lambda: print(version()), 0),
}

if __name__ == "__main__":
    words = sys.argv[1:]
    work, count = COMMANDS.get(words[0] if words else "", (None, 0))
    if work is None or len(words) != count + 1:
        sys.exit(__doc__)
    work(*words[1:])
