#!/usr/bin/env bash
# complete_in_fish.sh PROGRAM: what fish completes, by `complete -C`.
set -euo pipefail
command -v fish >/dev/null || { echo "skipped: there is no fish"; exit 77; }
program=$1
here=$(dirname "$(realpath "$0")")
source "$here/cases.sh"
export HOME=$folder/home XDG_CONFIG_HOME=$folder/home XDG_DATA_HOME=$folder/home
mkdir "$HOME"
"$program" --completions fish >"$HOME/stiefel.fish"

complete() {
    fish --no-config -c 'source $HOME/stiefel.fish; complete -C $argv[1]' -- "$1" | cut -f 1
}
every_case
