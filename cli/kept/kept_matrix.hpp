#pragma once

#include "stiefel/cli/report/solve_report.hpp"
#include "stiefel/cli/solve/solve_options.hpp"
#include "stiefel/core/backend.hpp"
#include "stiefel/core/memory.hpp"
#include "stiefel/io/matrix_market.hpp"
#include "stiefel/preconditioner/details.hpp"
#include "stiefel/solver/block_solve_result.hpp"
#include "stiefel/solver/cg_options.hpp"
#include "stiefel/solver/eigen_result.hpp"
#include "stiefel/solver/solve_result.hpp"

#include <functional>
#include <memory>
#include <string>

namespace stiefel::cli {

// Systems that a program of another language holds in arrays of its own: matrices and preconditioners that are kept and
// serve many solves, with backend and type behind them. Solvers are those that the program `stiefel` is made of,
// compiled beside them.

/// Elements that someone else owns, of the type of the matrix they are used with.
struct LentArray {
    void* data = nullptr;
    Size size = 0;
    bool on_device = false;
};

/// CSR as someone else holds it; checked where it is taken.
struct LentCsr {
    Index n_rows = 0;
    Index n_cols = 0;
    Size nnz = 0;
    const void* row_ptr = nullptr;
    bool wide_offsets = false;  ///< 64 bits each, else 32
    const Index* col_idx = nullptr;
    const void* values = nullptr;
    bool on_device = false;
    KeepAlive keep_alive = {};
};

/// Where a matrix is kept and how.
struct KeptChoice {
    BackendOptions backend = {};
    void* stream = nullptr;  ///< of a device: lent; none: one of its own
    std::string format = "auto";
    std::string kernel = "auto";
    double products = 200;  ///< see FormatChoice
};

class KeptMatrix;

/// z = M r by someone else's function, on vectors of the host.
using HostFunction = std::function<void(const void* r, void* z)>;

/// A preconditioner made from a kept matrix, which it keeps.
class KeptPreconditioner {
public:
    virtual ~KeptPreconditioner() = default;
    virtual std::string name() const = 0;
    virtual const KeptMatrix& matrix() const = 0;
    virtual PreconditionerDetails details() const = 0;
    virtual double setup_seconds() const = 0;
    /// z = M r; row after row, so many columns. Throws InvalidArgument on sizes that do not fit.
    virtual void apply(LentArray r, LentArray z, Index columns) = 0;
};

/// What iterations are preconditioned with: one of the two, or none.
struct KeptM {
    std::shared_ptr<KeptPreconditioner> kept = {};
    HostFunction function = {};
};

/// Right-hand sides in host memory, column after column, and what a solve needs beside the matrix.
struct KeptSystem {
    LentArray b = {};
    LentArray guess = {};  ///< no data: zeros
    Index n_columns = 1;
    int exponent = 0;  ///< A and b are what was asked for, divided by 2 to this power
    DenseArray<double> coordinates = {};
    KeptM m = {};
    std::string name = "A";  ///< of the matrix, in messages
};

/// How a solve ended, with x of n times n_columns on the host.
struct KeptSolution {
    SolveReport report = {};
    std::shared_ptr<const void> owner = {};
    const void* x = nullptr;
    Size size = 0;
};

/// A matrix on a backend, checked, in the format that it is multiplied in. One thread at a time may use it; the others
/// wait. All throw InvalidArgument, or what the program would, for what does not fit.
class KeptMatrix {
public:
    struct About {
        std::string backend, device, format, kernel, why;
        int threads = 1;
        Size nnz = 0, bytes = 0;
        double convert_seconds = 0;  ///< check and conversion, with the choice
    };

    virtual ~KeptMatrix() = default;
    virtual Index n_rows() const = 0;
    virtual Index n_cols() const = 0;
    virtual bool is_single() const = 0;
    /// Waits for its turn as all that follow; chooses the format if that was not done before.
    virtual About about() const = 0;

    /// y = A x; row after row, so many columns.
    virtual void multiply(LentArray x, LentArray y, Index columns) = 0;

    /// As stiefel::cg, from the guess in x. Nothing is checked of symmetry.
    virtual SolveResult cg(LentArray b, LentArray x, const KeptM& m, const CgOptions& options) = 0;
    /// As stiefel::block_cg, row after row.
    virtual BlockSolveResult block_cg(LentArray b, LentArray x, Index columns, const KeptM& m,
                                      const CgOptions& options) = 0;
    /// As stiefel::lobpcg, row after row; start vectors in x.
    virtual EigenResult lobpcg(LentArray x, Index columns, const KeptM& m, const EigenOptions& options) = 0;

    /// The preconditioner and the options that are for it; never `auto`.
    virtual std::shared_ptr<KeptPreconditioner> preconditioner(const SolveOptions& options,
                                                               DenseArray<double> coordinates) = 0;
    /// What `stiefel solve` does between reading and writing. What was prepared for a solve with the same options
    /// before is used again.
    virtual KeptSolution solve(const SolveOptions& options, KeptSystem system) = 0;
};

/// Lends, checks and converts. Throws InvalidArgument, DeviceError, OutOfMemory.
template <class T>
std::shared_ptr<KeptMatrix> keep_matrix(const LentCsr& a, const KeptChoice& choice);

extern template std::shared_ptr<KeptMatrix> keep_matrix<float>(const LentCsr&, const KeptChoice&);
extern template std::shared_ptr<KeptMatrix> keep_matrix<double>(const LentCsr&, const KeptChoice&);

}  // namespace stiefel::cli
