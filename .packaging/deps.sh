#!/bin/sh
# Installs the named Debian packages that are missing: as root, or through sudo; otherwise names the one line and stops.
set -u
missing=
for p in "$@"; do
    dpkg-query -W -f '${Status}' "$p" 2>/dev/null | grep -q '^install ok installed' || missing="$missing $p"
done
[ -n "$missing" ] || exit 0
line="apt-get install -y --no-install-recommends$missing"
if [ "$(id -u)" -eq 0 ]; then as=
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then as=sudo
else
    echo "Missing packages. Run as root, then make again:  $line" >&2
    exit 1
fi
echo "  installing$missing"
log=$(mktemp)
if ! { DEBIAN_FRONTEND=noninteractive $as apt-get update && DEBIAN_FRONTEND=noninteractive $as $line; } >"$log" 2>&1; then
    tail -n 15 "$log" >&2
    echo "Installing failed: $line" >&2
    exit 1
fi
