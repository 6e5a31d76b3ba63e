#include "stiefel/preconditioner/amg/cuda/chebyshev_products.hpp"

#include "stiefel/core/cuda/early/multigrid.cuh"
#include "stiefel/preconditioner/amg/cuda/chebyshev_rows.cuh"
#include "stiefel/spmv/cuda/lanes.hpp"

#include <string_view>
#include <type_traits>

namespace stiefel::amg {

namespace {

/// What a row of the matrix does beside its product: it loads what it has of the vectors while the product is under
/// way, and stores what it makes of both. It may write nothing that the product of another row reads.
///
/// Both steps from x = 0, but for the last product: the first is a multiple of r, so A d is one of A r.
template <class S>
struct BeginFromRightHandSide {
    TwoSteps<S> steps;
    const S* r;
    S* left;  ///< of r
    S* d;
    S* x;

    struct Own {
        S r;
    };
    __device__ Own load(Index i) const { return {r[i]}; }
    __device__ void store(Index i, const Own& own, S product) const {
        const S first = steps.first * own.r;
        const S rest = own.r - steps.first * product;
        const S second = steps.rho * first + steps.second * rest;
        left[i] = rest;
        d[i] = second;
        x[i] = first + second;
    }
};

/// to = from - A v
template <class S>
struct Subtract {
    const S* from;
    S* to;

    struct Own {
        S from;
    };
    __device__ Own load(Index i) const { return {from[i]}; }
    __device__ void store(Index i, const Own& own, S product) const { to[i] = own.from - product; }
};

/// Both steps after a correction e, from what it left of r.
template <class S>
struct EndFromCorrection {
    TwoSteps<S> steps;
    const S* r;
    const S* e;
    S* x;

    struct Own {
        S r, corrected;
    };
    __device__ Own load(Index i) const { return {r[i], x[i] + e[i]}; }
    __device__ void store(Index i, const Own& own, S product) const {
        const S first = steps.first * own.r;
        const S second = steps.rho * first + steps.second * (own.r - steps.first * product);
        x[i] = own.corrected + first + second;
    }
};

/// The same, and what is found goes out.
template <class S, class T>
struct LeaveFromCorrection {
    TwoSteps<S> steps;
    const S* r;
    const S* x;
    const S* e;
    WayOut<T> out;

    struct Own {
        S r, corrected;
        T scale, before;
    };
    __device__ Own load(Index i) const { return {r[i], x[i] + e[i], out.scale[i], out.r[i]}; }
    /// Returns what it adds to the inner product.
    __device__ double store(Index i, const Own& own, S product) const {
        const S first = steps.first * own.r;
        const S second = steps.rho * first + steps.second * (own.r - steps.first * product);
        const T z = own.scale * static_cast<T>(own.corrected + first + second);
        out.z[i] = z;
        return static_cast<double>(own.before) * static_cast<double>(z);
    }
};

/// f(rows) of SELL with these values.
template <class S, class Stored, class F>
void with_slices(const DeviceSell<S>& a, const Stored* values, const SliceDiagonals<Cuda>& diagonals, F& f) {
    if (diagonals.empty()) {
        f(SellRows<S, SliceReading::columns, Stored>(a, values, diagonals));
    } else if (diagonals.begin.empty()) {
        f(SellRows<S, SliceReading::diagonals, Stored>(a, values, diagonals));
    } else if constexpr (std::is_same_v<Stored, S>) {
        f(SellRows<S, SliceReading::shared_diagonals, Stored>(a, values, diagonals));
    }
}

/// f(rows), if there are kernels for rows of the matrix as it is kept and multiplied. Returns whether there are.
template <class S, class F>
bool with_rows(const RowsOfLevel<S>& level, F&& f) {
    return level.a.visit([&]<class Matrix>(const Matrix& m, const auto& kernel) {
        if constexpr (std::is_same_v<Matrix, DeviceSell<S>>) {
            if (m.slice_height != warp_size) return false;
            if (level.in_short.empty()) {
                with_slices<S>(m, m.values.data(), level.diagonals, f);
            } else if constexpr (std::is_same_v<S, float>) {
                with_slices<S>(m, level.in_short.units.data(), level.diagonals, f);
            }
            return true;
        } else if constexpr (std::is_same_v<Matrix, DeviceCsr<S>>) {
            if (kernel.name != std::string_view("subwarp") || m.row_ptr.is_wide()) return false;
            cuda::with_lanes(m.nnz(), m.n_rows, [&](auto lanes) { f(CsrRows<lanes(), S>(m)); });
            return true;
        } else {
            return false;
        }
    });
}

}  // namespace

template <class S>
bool fuses_chebyshev(const SpmvOperator<Cuda, S>& a) {
    return with_rows<S>({a, {}, {}}, [](const auto&) {});
}

template <class S>
void begin_from_right_hand_side(Cuda& backend, const RowsOfLevel<S>& a, const TwoSteps<S>& steps, const S* r, S* left,
                                S* d, S* x) {
    with_rows(a, [&](const auto& rows) {
        run_rows_of(backend, rows, r, BeginFromRightHandSide<S>{steps, r, left, d, x});
    });
}

template <class S>
void subtract_product(Cuda& backend, const RowsOfLevel<S>& a, const S* from, const S* v, S* to) {
    with_rows(a, [&](const auto& rows) { run_rows_of(backend, rows, v, Subtract<S>{from, to}); });
}

template <class S>
void end_from_correction(Cuda& backend, const RowsOfLevel<S>& a, const TwoSteps<S>& steps, const S* r, const S* e,
                         S* x) {
    with_rows(a, [&](const auto& rows) { run_rows_of(backend, rows, r, EndFromCorrection<S>{steps, r, e, x}); });
}

template <class S, class T>
void leave_from_correction(Cuda& backend, const RowsOfLevel<S>& a, const TwoSteps<S>& steps, const S* r, const S* x,
                           const S* e, const WayOut<T>& out) {
    with_rows(a, [&](const auto& rows) {
        sum_rows_of(backend, rows, r, LeaveFromCorrection<S, T>{steps, r, x, e, out}, out.dot);
    });
}

template bool fuses_chebyshev(const SpmvOperator<Cuda, float>&);
template void begin_from_right_hand_side(Cuda&, const RowsOfLevel<float>&, const TwoSteps<float>&, const float*, float*,
                                         float*, float*);
template void subtract_product(Cuda&, const RowsOfLevel<float>&, const float*, const float*, float*);
template void end_from_correction(Cuda&, const RowsOfLevel<float>&, const TwoSteps<float>&, const float*, const float*,
                                  float*);
template bool fuses_chebyshev(const SpmvOperator<Cuda, double>&);
template void begin_from_right_hand_side(Cuda&, const RowsOfLevel<double>&, const TwoSteps<double>&, const double*,
                                         double*, double*, double*);
template void subtract_product(Cuda&, const RowsOfLevel<double>&, const double*, const double*, double*);
template void end_from_correction(Cuda&, const RowsOfLevel<double>&, const TwoSteps<double>&, const double*,
                                  const double*, double*);

template void leave_from_correction(Cuda&, const RowsOfLevel<float>&, const TwoSteps<float>&, const float*,
                                    const float*, const float*, const WayOut<float>&);
template void leave_from_correction(Cuda&, const RowsOfLevel<float>&, const TwoSteps<float>&, const float*,
                                    const float*, const float*, const WayOut<double>&);
template void leave_from_correction(Cuda&, const RowsOfLevel<double>&, const TwoSteps<double>&, const double*,
                                    const double*, const double*, const WayOut<float>&);
template void leave_from_correction(Cuda&, const RowsOfLevel<double>&, const TwoSteps<double>&, const double*,
                                    const double*, const double*, const WayOut<double>&);

}  // namespace stiefel::amg
