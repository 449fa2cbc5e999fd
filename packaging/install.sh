#!/bin/sh
# Installs attn for this user: downloads the archive of this platform, checks it, and puts the program into
# ~/.local/bin, or into the folder that ATTN_INSTALL_DIR names. `sh install.sh --remove` removes it.
set -eu

repository="@REPOSITORY@"
version="@VERSION@"
folder="${ATTN_INSTALL_DIR:-$HOME/.local/bin}"

stop() {
    echo "attn: $1" >&2
    exit 1
}

if [ "${1:-}" = "--remove" ]; then
    rm -f "$folder/attn"
    echo "attn is no longer in $folder"
    exit 0
fi

case "$(uname -s)" in
    Linux) system=unknown-linux-gnu ;;
    Darwin) system=apple-darwin ;;
    *) stop "there is no program for $(uname -s) here; on Windows: pip install attn, or npm install -g attn" ;;
esac
case "$(uname -m)" in
    x86_64 | amd64) processor=x86_64 ;;
    arm64 | aarch64) processor=aarch64 ;;
    *) stop "there is no program for $(uname -m); with Rust: cargo install" ;;
esac
if [ "$system" = unknown-linux-gnu ] && ! ldd --version 2>&1 | grep -qi 'glibc\|gnu libc'; then
    stop "this system has no glibc; with Rust: cargo install"
fi

archive="attn-v$version-$processor-$system.tar.gz"
address="$repository/releases/download/v$version"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

fetch() {
    if command -v curl >/dev/null 2>&1; then
        curl --proto '=https' --tlsv1.2 -fsSL "$1" -o "$2"
    elif command -v wget >/dev/null 2>&1; then
        wget -q "$1" -O "$2"
    else
        stop "neither curl nor wget is installed"
    fi
}

fetch "$address/$archive" "$work/$archive" || stop "$address/$archive cannot be downloaded"
fetch "$address/$archive.sha256" "$work/$archive.sha256" || stop "the checksum cannot be downloaded"
cd "$work"
if command -v sha256sum >/dev/null 2>&1; then
    sha256sum -c "$archive.sha256" >/dev/null || stop "the archive is damaged: its checksum differs"
else
    shasum -a 256 -c "$archive.sha256" >/dev/null || stop "the archive is damaged: its checksum differs"
fi
tar -xzf "$archive"
mkdir -p "$folder"
mv "attn-v$version-$processor-$system/attn" "$folder/attn"
echo "attn $version is in $folder"
case ":$PATH:" in
    *":$folder:"*) ;;
    *) echo "add $folder to PATH to call it as attn" ;;
esac
