#!/usr/bin/env bash
# complete_in_zsh.sh PROGRAM: what zsh completes. It does so only in a terminal: one of zsh's own, in which what would be
# offered is printed.
set -euo pipefail
command -v zsh >/dev/null || { echo "skipped: there is no zsh"; exit 77; }
program=$1
here=$(dirname "$(realpath "$0")")
source "$here/cases.sh"
export ZDOTDIR=$folder/.zsh
mkdir "$ZDOTDIR"
"$program" --completions zsh >"$ZDOTDIR/_stiefel"

cat >"$ZDOTDIR/.zshrc" <<'RC'
PROMPT=
fpath=($ZDOTDIR $fpath)
autoload -U compinit
compinit -u -d $ZDOTDIR/dump
# Candidates on lines of their own, in place of being offered; calls that only collect words are passed on.
compadd() {
    if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then
        builtin compadd "$@"
        return
    fi
    local -a found
    builtin compadd -A found "$@"
    (( $#found )) && print -l -- '' "<"${^found}">"
    builtin compadd "$@"
}
ready() { print -l -- '' '<begin>'; }
finish() { print -l -- '' '<end>'; exit; }
zle -N finish
bindkey '^I' complete-word
bindkey '^X' finish
unsetopt beep
setopt no_list_beep no_always_last_prompt
ready
RC
cat >"$ZDOTDIR/ask" <<'ASK'
zmodload zsh/zpty
zpty terminal 'zsh -i'
zpty -r terminal seen $'*<begin>*'
zpty -w -n terminal "$1"$'\t\x18'
zpty -r terminal seen $'*<end>*'
print -r -- "$seen"
ASK

complete() {
    timeout 20 zsh -f "$ZDOTDIR/ask" "$1" | tr -d '\r' | sed -n 's/^<\(.*\)>$/\1/p' | grep -vxE 'begin|end' || true
}
every_case
