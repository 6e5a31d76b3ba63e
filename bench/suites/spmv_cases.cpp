#include "bench/suites/sparse_cases_impl.hpp"

#include "stiefel/spmv/spmv_work.hpp"

namespace stiefel::bench {

namespace {

struct SpmvOperation {
    static constexpr bool has_columns = false;
    [[maybe_unused]] static constexpr bool sweeps = true;

    template <class B, class Matrix>
    static auto kernels(const B& backend, const Matrix& a) {
        return spmv_kernels(backend, a);
    }
    template <class Kernel, class B, class Matrix>
    static void run(const Kernel& kernel, B& backend, const Matrix& a, const double* x, double* y, Index) {
        kernel.run(backend, a, {.x = x, .y = y});
    }
    static Work work(const HostCsr<double>& a, Index) { return spmv_work(a); }
};

}  // namespace

void add_spmv_cases(const SparseOperand& operand, FormatRange formats, const SuiteBackends& backends,
                    std::vector<Case>& cases) {
    add_sparse_cases<SpmvOperation>(operand, {1}, formats, backends, cases);
}

}  // namespace stiefel::bench
