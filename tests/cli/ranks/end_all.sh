#!/bin/sh
# end_all.sh MPIEXEC NUMPROC_FLAG PROGRAM WHO: one message, exit code 5, and no waiting.
export OMPI_MCA_odls_base_sigkill_timeout=0
said=$(mktemp)
trap 'rm -f "$said"' EXIT
"$1" "$2" 4 "$3" "$4" 2>"$said"
code=$?
messages=$(grep -c '^stiefel: rank [0-3]: ' "$said")
[ "$code" -eq 5 ] && [ "$messages" -eq 1 ] && exit 0
echo "exit code $code, $messages messages:"
cat "$said"
exit 1
