run() { timeout 200 "$@" > /tmp/o.txt 2>&1; echo "$* rc $?"; grep -E '^\[  (PASSED|FAILED|SKIPPED)' /tmp/o.txt | tail -3; grep -B6 -A8 Failure /tmp/o.txt | head -60; tail -2 /tmp/o.txt; }
run bin/test_analysis --gtest_filter='*Cuda*'
run bin/test_core --gtest_filter='*Cuda*'
run bin/test_preconditioner --gtest_filter='*Cuda*'
run bin/test_spmv --gtest_filter='*Cuda*Products*:*Cuda*Scan*:*Cuda*Shares*:*Cuda*Statist*:*Cuda*Transpos*'
CS=$(which compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer)
run $CS --tool memcheck bin/test_analysis --gtest_filter='*Cuda*'
run $CS --tool memcheck bin/test_preconditioner --gtest_filter='CudaFsai*:CudaBlockJacobi*'
run $CS --tool memcheck bin/test_spmv --gtest_filter='*Cuda*Transposes*'
