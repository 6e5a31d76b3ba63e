#!/bin/sh
# instruction_sets.sh NM FILE: no object of the list in FILE shares a weak symbol with one that is compiled for another
# instruction set. The linker keeps either, so that a machine might meet instructions that it lacks. (DW.ref. are pointers
# that unwinding goes by, no instructions; where exceptions pass every object has them.)
set -eu
"$1" -A --defined-only @"$2" | awk '
    { object = $0; sub(/:.*/, "", object) }
    object ~ /avx2\.cpp/ { set = "AVX2" }
    object ~ /avx512\.cpp/ { set = "AVX-512" }
    object !~ /avx(2|512)\.cpp/ { set = "others" }
    !(set in objects) { objects[set]; ++sets }
    $(NF - 1) ~ /^[WVu]$/ && $NF !~ /^DW\.ref\./ {
        name = $NF
        if (name in first && first[name] != set) {
            print name ": in " where[name] " and in " object
            shared = 1
        }
        first[name] = set
        where[name] = object
    }
    END {
        if (sets != 3) { print "objects of " sets " instruction sets, expected 3"; exit 2 }
        exit shared
    }'
