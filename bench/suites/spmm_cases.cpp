#include "bench/suites/sparse_cases_impl.hpp"

#include "stiefel/spmv/spmm.hpp"
#include "stiefel/spmv/spmv_work.hpp"

namespace stiefel::bench {

namespace {

struct SpmmOperation {
    static constexpr bool has_columns = true;
    [[maybe_unused]] static constexpr bool sweeps = false;

    template <class B, class Matrix>
    static auto kernels(const B& backend, const Matrix& a) {
        return spmm_kernels(backend, a);
    }
    template <class Kernel, class B, class Matrix>
    static void run(const Kernel& kernel, B& backend, const Matrix& a, const double* x, double* y, Index k) {
        kernel.run(backend, a, {.x = x, .ldx = k, .y = y, .ldy = k, .k = k});
    }
    static Work work(const HostCsr<double>& a, Index k) { return spmm_work(a, k); }
};

}  // namespace

void add_spmm_cases(const SparseOperand& operand, const std::vector<Index>& columns, FormatRange formats,
                    const SuiteBackends& backends, std::vector<Case>& cases) {
    add_sparse_cases<SpmmOperation>(operand, columns, formats, backends, cases);
}

}  // namespace stiefel::bench
