# The C++ blocks of a page, in order, as one program: what they include first, then the rest in main, which ends in 0 if
# the page's `result` converged. Blocks for CUDA are left out where cuda is 0.
function take_block() {
    if (cuda || block !~ /stiefel::Cuda/) {
        includes = includes included
        body = body block
    }
    included = block = ""
}
/^```cpp/ { inside = 1; ++n_blocks; next }
/^```/    { if (inside) take_block(); inside = 0; next }
!inside   { next }
/^#include/ { included = included $0 "\n"; next }
          { block = block $0 "\n" }
END {
    if (n_blocks == 0) exit 1
    printf "%s\nint main() {\n%s    return result.reason == stiefel::StopReason::converged ? 0 : 1;\n}\n", includes, body
}
