#!/usr/bin/env bash
# man_pages.sh PROGRAM groff|mandoc: every manual page is set without a warning, and names every option that the help page
# has.
set -euo pipefail
program=$1 formatter=$2
command -v "$formatter" >/dev/null || { echo "skipped: there is no $formatter"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

for page in stiefel solve eigen info convert generate; do
    "$program" --man "$page" >"$folder/page.1"
    case $formatter in
        groff) groff -man -ww -Tutf8 -P-cbou "$folder/page.1" >"$folder/text" 2>"$folder/warnings" ;;
        # A page has no date, so that a build can be repeated.
        mandoc)
            mandoc -Tlint -W warning "$folder/page.1" | grep -v 'missing date' >"$folder/warnings" || true
            mandoc -Tascii "$folder/page.1" | sed 's/.\x08//g' >"$folder/text"
            ;;
    esac
    if [ -s "$folder/warnings" ]; then
        echo "--man $page:" && cat "$folder/warnings"
        exit 1
    fi
    command=$page
    [ "$page" = stiefel ] && command=
    options=$("$program" $command --help | grep -oE '^ +(-[A-Za-z], )?--[a-z0-9-]+' | grep -oE -- '--.*')
    for option in $options; do
        grep -qF -- "$option" "$folder/text" || { echo "--man $page does not name $option"; exit 1; }
    done
done
