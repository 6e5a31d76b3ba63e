#!/bin/sh
# shared_library.sh READELF NM LIBRARY SONAME: the library carries the name that programs will look for, and shows nothing
# but what is Stiefel's.
set -eu
"$1" --dynamic "$3" | grep -q "Library soname: \[$4\]" || { echo "$3 is not called $4 inside"; exit 1; }
"$2" --dynamic --defined-only --demangle "$3" | awk '
    { $1 = ""; $2 = "" }
    !/stiefel::/ { print "foreign symbol:" $0; foreign = 1 }
    { ++symbols }
    END { if (symbols < 100) { print "only " symbols + 0 " symbols"; exit 1 } exit foreign }'
