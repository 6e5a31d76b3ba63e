#pragma once

#include "stiefel/core/types.hpp"

#include <span>
#include <string_view>

namespace stiefel {

/// Some rows of a panel, row-major.
template <class T>
struct PanelRows {
    T* data = nullptr;
    Index n_cols = 0;
    Size ld = 0;
};

/// The part of gram() and panel_update() that depends on the instruction set. Rows are read where they lie: the rows of
/// a panel are operands as they are, and each is used from registers or, for wide panels, from L1.
struct PanelKernel {
    std::string_view instructions;  ///< "avx512", ...

    /// `n` floats as doubles.
    void (*widen)(const float* from, Size n, double* to) = nullptr;

    /// S += P' Q over `rows` rows, where row i of S begins at sums + i ld and is written in whole registers, up to the
    /// next multiple of 8 beyond q.n_cols. If P is Q only columns j >= i of row i are summed. Meanwhile it fetches the
    /// rows `rows_ahead` further on into the caches; 0 fetches nothing.
    void (*add_gram)(Size rows, PanelRows<const double> p, PanelRows<const double> q, Size rows_ahead, double* sums,
                     Size ld) = nullptr;

    /// Y = alpha X B + beta Y for `rows` rows of X and Y. B has rows of ldb elements, filled up with zeros to a
    /// multiple of 8. beta = 0 never reads Y. `stream` writes what fills registers around the caches: rows of Y must
    /// then begin on multiples of 64 bytes or lie without gaps from one on.
    void (*update_double)(Size rows, double alpha, PanelRows<const double> x, const double* b, Size ldb, double beta,
                          PanelRows<double> y, bool stream) = nullptr;
    void (*update_float)(Size rows, double alpha, PanelRows<const double> x, const double* b, Size ldb, double beta,
                         PanelRows<float> y, bool stream) = nullptr;
};

/// The kernels that this machine can run, the fastest last. Never empty.
std::span<const PanelKernel> panel_kernels();

// One per file, each compiled for its instruction set; to be used only where the processor has it.
extern const PanelKernel baseline_panel, avx2_panel, avx512_panel;

}  // namespace stiefel
