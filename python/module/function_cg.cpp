#include "module/function_cg.hpp"

#include "stiefel/cli/kept/kept_preconditioner.hpp"
#include "stiefel/solver/cg.hpp"

#include <algorithm>

namespace stiefel::python {

namespace {

/// y = A x by someone else's function.
template <class T>
class FunctionOperator {
public:
    FunctionOperator(const cli::HostFunction& function, Size n) : function_(function), product_(n) {}

    friend void spmv(OpenMP&, const FunctionOperator& a, const HostVector<T>& x, HostVector<T>& y, T alpha, T beta) {
        // The residual of the guess 0 needs no product, which may be all that takes time.
        if (beta == 1 && std::all_of(x.begin(), x.end(), [](T value) { return value == 0; })) return;
        a.function_(x.data(), a.product_.data());
        for (Size i = 0; i < y.size(); ++i) y[i] = alpha * a.product_[i] + (beta == 0 ? T{0} : beta * y[i]);
    }

private:
    const cli::HostFunction& function_;
    mutable HostVector<T> product_;
};

}  // namespace

template <class T>
SolveResult function_cg(const cli::HostFunction& a, const cli::HostFunction& m, cli::LentArray b, cli::LentArray x,
                        const CgOptions& options) {
    OpenMP backend;
    const auto from = lent_vector(backend, static_cast<const T*>(b.data), b.size);
    auto to = lent_vector(backend, static_cast<T*>(x.data), x.size);
    const FunctionOperator<T> on(a, b.size);
    if (!m) return cg<OpenMP, T>(backend, on, from, to, options);
    return cg<OpenMP, T>(backend, on, cli::FunctionPreconditioner<T>(m), from, to, options);
}

template SolveResult function_cg<float>(const cli::HostFunction&, const cli::HostFunction&, cli::LentArray,
                                        cli::LentArray, const CgOptions&);
template SolveResult function_cg<double>(const cli::HostFunction&, const cli::HostFunction&, cli::LentArray,
                                         cli::LentArray, const CgOptions&);

}  // namespace stiefel::python
