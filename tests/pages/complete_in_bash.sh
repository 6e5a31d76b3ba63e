#!/usr/bin/env bash
# complete_in_bash.sh PROGRAM: what bash completes, by calling what `complete -F` registered as bash does.
set -euo pipefail
program=$1
here=$(dirname "$(realpath "$0")")
source /dev/stdin <<<"$("$program" --completions bash)"

complete() {  # LINE; bash parts words at blanks and at the sign of --option=value
    read -ra COMP_WORDS <<<"${1//=/ = }"
    [[ $1 == *[\ =] ]] && COMP_WORDS+=('')
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _stiefel || true
    printf '%s\n' "${COMPREPLY[@]}"
}

source "$here/cases.sh"
every_case
has 'stiefel solve A.mtx --backend=' openmp
has 'stiefel solve A.mtx --backend=o' openmp
has_not 'stiefel solve A.mtx --backend=o' serial
has 'stiefel solve b' 'b c.mtx'
has 'stiefel solve A.mtx ' --rhs
has_not 'stiefel solve A.mtx ' A.mtx
