# Read by complete_in_*.sh: what a line is completed to, the same in every shell. A shell defines complete LINE, which
# prints the candidates, one a line, and calls `every_case`.
#   has LINE WORD...    these are among them     has_not LINE WORD...    these are not
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
touch A.mtx 'b c.mtx'

# check has|has_not LINE WORD...
check() {
    local wanted=$1 line=$2 found word is
    found=$(complete "$line")
    for word in "${@:3}"; do
        is=has_not
        grep -qxF -- "$word" <<<"$found" && is=has
        [ $is = "$wanted" ] && continue
        printf '%s\n' "'$line': expected that it $wanted '$word'; completed to:" "$found" >&2
        exit 1
    done
}
has() { check has "$@"; }
has_not() { check has_not "$@"; }

every_case() {
    has 'stiefel ' solve eigen info convert generate
    has_not 'stiefel ' A.mtx poisson3d
    has 'stiefel --' --help --version --completions --man
    has 'stiefel --completions ' bash zsh fish
    has 'stiefel generate ' poisson1d poisson3d elasticity3d
    has 'stiefel generate anisotropic2d 30 --' --epsilon --output --general
    has_not 'stiefel generate poisson2d 30 --' --epsilon --rhs
    has 'stiefel solve ' A.mtx
    has 'stiefel solve A.mtx --pre' --preconditioner --precision
    has 'stiefel solve A.mtx --preconditioner ' auto none jacobi amg fsai ic ssor cholesky
    has_not 'stiefel solve A.mtx --preconditioner ' shifted-chebyshev A.mtx
    has 'stiefel eigen A.mtx --preconditioner ' shifted-chebyshev
    has 'stiefel solve A.mtx --format ' csr compressed-sell
    has 'stiefel solve A.mtx --kernel ' auto balanced simd
    has 'stiefel solve A.mtx --rhs ' ones random consistent A.mtx
    has 'stiefel solve A.mtx --backend serial --guess ' A.mtx
    has_not 'stiefel solve A.mtx --rtol ' A.mtx --rhs
    has 'stiefel convert A.mtx ' A.mtx
    has 'stiefel eigen A.mtx -k 3 --which ' smallest largest
}
