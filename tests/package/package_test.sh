#!/usr/bin/env bash
# package_test.sh CPACK BUILD_DIR WORK_DIR VERSION: packs what is built, installs the .deb into a root of its own, runs the
# program from there, and removes it again; unpacks the .tar.gz and runs that. Skipped where there is no dpkg, or no right
# to use it.
set -euo pipefail
cpack=$1 build=$2 work=$3 version=$4

fail() { echo "$*" >&2; exit 1; }
for tool in dpkg dpkg-deb dpkg-shlibdeps file; do
    command -v $tool >/dev/null || { echo "skipped: there is no $tool"; exit 77; }
done
[ "$(id -u)" -eq 0 ] || { echo "skipped: only root may install"; exit 77; }

rm -rf "$work"
mkdir -p "$work/run"
# xz takes its time, and changes nothing here.
"$cpack" --config "$build/CPackConfig.cmake" -G 'DEB;TGZ' -B "$work" -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip \
    >"$work/cpack.log" 2>&1 || { cat "$work/cpack.log"; fail "cpack failed"; }
rm -rf "$work/_CPack_Packages"

try() {  # PROGRAM: as somebody would who has just installed it
    ldd "$1" >"$work/libraries"
    ! grep -E 'not found|libcu' "$work/libraries" || fail "$1 needs what need not be there"
    [[ $("$1" --version) == "stiefel $version" ]] || fail "$1 --version: $("$1" --version)"
    (cd "$work/run" && "$1" generate poisson2d 30 20 -o A.mtx.gz -q && "$1" solve A.mtx.gz --rhs consistent -q -o x.mtx)
}

root=$work/root
in_root() { dpkg --root="$root" --force-depends --force-script-chrootless --log="$work/dpkg.log" "$@"; }
listed() { (cd "$root" && find . -path ./var/lib/dpkg -prune -o -print | sort); }
mkdir -p "$root/var/lib/dpkg/"{info,updates,triggers}
touch "$root/var/lib/dpkg/status"
listed >"$work/before"

in_root --install "$work"/stiefel_*.deb "$work"/stiefel-dev_*.deb >/dev/null 2>&1
try "$root/usr/bin/stiefel"
for file in bin/stiefel share/bash-completion/completions/stiefel share/zsh/vendor-completions/_stiefel \
    share/fish/vendor_completions.d/stiefel.fish share/man/man1/stiefel-solve.1.gz share/doc/stiefel/copyright \
    share/doc/stiefel-dev/copyright include/stiefel/solver/cg.hpp; do
    [ -s "$root/usr/$file" ] || fail "the packages hold no $file"
done
find "$root/usr" -name stiefelConfig.cmake | grep -q . || fail "stiefel-dev holds no package for CMake"
needs=$(dpkg-deb --field "$work"/stiefel_*.deb Depends)
[[ $needs == *libc6* && $needs == *libgomp1* ]] || fail "stiefel depends on: $needs"
! grep -iE 'cuda|nvidia' <<<"$needs" || fail "stiefel depends on: $needs"

in_root --remove stiefel stiefel-dev >/dev/null 2>&1
listed >"$work/after"
diff "$work/before" "$work/after" || fail "this was left behind by removing"

mkdir "$work/unpacked"
for archive in "$work"/*.tar.gz; do tar -xzf "$archive" -C "$work/unpacked"; done
unpacked=$(echo "$work"/unpacked/*)
try "$unpacked/bin/stiefel"
[ -s "$unpacked/include/stiefel/solver/cg.hpp" ] || fail "no headers are in the archives"
rm -rf "$work/root" "$work/unpacked"
