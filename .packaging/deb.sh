#!/bin/bash
# Writes the Debian packages of what is built.
# usage: deb.sh BUILD VERSION OUT (from the top of the source); SOURCE_DATE_EPOCH (default: the last commit) is their time.
set -euo pipefail
umask 022
build=$1 version=$2 out=$3
here=$(dirname "$0")
arch=$(dpkg-architecture -qDEB_HOST_ARCH)
libdir=/usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || stat -c %Y CHANGELOG.md)}
maintainer="${DEBFULLNAME:-maxk developers} <${DEBEMAIL:-maxk@maxk.invalid}>"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
all=$work/all
make --no-print-directory -s install-files BUILD="$build" DESTDIR="$all" PREFIX=/usr LIBDIR="$libdir" >/dev/null
strip --remove-section=.comment --remove-section=.note "$all/usr/bin/maxk"
strip --strip-unneeded --remove-section=.comment --remove-section=.note "$all$libdir"/libmaxk{,-policy}.so."$version"
strip --strip-debug --enable-deterministic-archives "$all$libdir"/libmaxk{,-policy}.a
gzip -9n "$all/usr/share/man/man1/maxk.1"
grep -rlZ '^#!' "$all/usr/share/maxk" --include='*.sh' --include='*.slurm' | xargs -0 chmod 755

move() { # PACKAGE PATH…, below $all
    local package=$1 path
    shift
    for path in "$@"; do
        mkdir -p "$work/$package/$(dirname "$path")"
        mv "$all"/$path "$work/$package/$(dirname "$path")/"
    done
}
move libmaxk1 "$libdir/libmaxk.so.*"
move libmaxk-policy1 "$libdir/libmaxk-policy.so.*"
move libmaxk-policy-dev usr/include/maxk/policy.h usr/include/maxk/error.h "$libdir/libmaxk-policy.so" "$libdir/libmaxk-policy.a" \
    "$libdir/pkgconfig/maxk-policy.pc"
move libmaxk-dev usr/include "$libdir/libmaxk.so" "$libdir/libmaxk.a" "$libdir/pkgconfig"
move python3-maxk usr/lib/python3
mkdir -p "$work/python3-maxk/usr/share/doc/python3-maxk/examples" "$work/maxk/usr/share/zsh/vendor-completions"
mv "$all/usr/share/maxk/python/tutorial.py" "$work/python3-maxk/usr/share/doc/python3-maxk/examples/"
rmdir "$all/usr/share/maxk/python"
mv "$all/usr/share/zsh/site-functions/_maxk" "$work/maxk/usr/share/zsh/vendor-completions/"
rm -r "$all/usr/share/zsh"
move maxk usr/bin usr/share/man usr/share/doc/maxk usr/share/bash-completion usr/share/fish usr/share/maxk
left=$(find "$all" ! -type d)
[ -z "$left" ] || { echo "in no package: $left" >&2; exit 1; }

# What the programs of a package need, in the words of their packages.
mkdir -p "$work/debian"
printf 'Source: maxk\n\nPackage: maxk\nArchitecture: any\n' >"$work/debian/control"
needs() { # FILE
    (cd "$work" && dpkg-shlibdeps -O "$1" | sed -n 's/^shlibs:Depends=//p')
}

fields() { # PACKAGE NEEDS: its paragraph as a control file
    awk -v package="$1" -v needs="$2" -v version="$version" -v arch="$arch" -v maintainer="$maintainer" -v size="$3" '
        BEGIN { RS = ""; FS = "\n" }
        $1 == "Package: " package {
            print $1 "\nSource: maxk\nVersion: " version "\nMaintainer: " maintainer "\nInstalled-Size: " size "\nPriority: optional"
            if ($0 !~ /\nArchitecture:/) print "Architecture: " arch
            if (arch != "all" && package ~ /^libmaxk/) print "Multi-Arch: same"
            for (i = 2; i <= NF; i++) {
                gsub(/\$\{Version\}/, version, $i)
                gsub(/\$\{shlibs:Depends\}/, needs, $i)
                print $i
            }
        }' "$here/control"
}

date=$(date -u -R -d "@$SOURCE_DATE_EPOCH")
mkdir -p "$out"
for package in maxk libmaxk1 libmaxk-dev libmaxk-policy1 libmaxk-policy-dev python3-maxk; do
    tree=$work/$package
    doc=$tree/usr/share/doc/$package
    mkdir -p "$doc" "$tree/DEBIAN"
    cp "$here/copyright" "$doc/copyright"
    sed "s/@MAINTAINER@/$maintainer/; s/@DATE@/$date/" "$here/changelog" | gzip -9n >"$doc/changelog.gz"
    case $package in
    maxk) need=$(needs "$tree/usr/bin/maxk") ;;
    libmaxk*1)
        need=$(needs "$tree$libdir/${package%1}.so.$version")
        echo "${package%1} ${version%%.*} $package (>= $version)" >"$tree/DEBIAN/shlibs"
        echo "activate-noawait ldconfig" >"$tree/DEBIAN/triggers" ;;
    python3-maxk)
        need=
        printf '#!/bin/sh\nset -e\nif command -v py3compile >/dev/null 2>&1; then\n    py3compile -p python3-maxk\nfi\n' \
            >"$tree/DEBIAN/postinst"
        printf '#!/bin/sh\nset -e\nif command -v py3clean >/dev/null 2>&1; then\n    py3clean -p python3-maxk\nfi\n' \
            >"$tree/DEBIAN/prerm"
        chmod 755 "$tree/DEBIAN/postinst" "$tree/DEBIAN/prerm" ;;
    *) need= ;;
    esac
    (cd "$tree" && find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum) >"$tree/DEBIAN/md5sums"
    fields "$package" "$need" "$(du -k -s --apparent-size "$tree/usr" | cut -f1)" >"$tree/DEBIAN/control"
    find "$tree" -newermt "@$SOURCE_DATE_EPOCH" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
    dpkg-deb --root-owner-group -Zxz -b "$tree" "$out" >/dev/null
done
ls "$out"/*"_${version}_"*.deb
