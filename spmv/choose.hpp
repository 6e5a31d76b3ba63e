#pragma once

#include "stiefel/spmv/formats.hpp"
#include "stiefel/spmv/operator.hpp"
#include "stiefel/spmv/row_statistics.hpp"
#include "stiefel/spmv/trial.hpp"

#include <string>

namespace stiefel {

/// What the user asks for. "auto" leaves it to choose_operator.
struct FormatChoice {
    std::string format = "auto";  ///< auto, or one of AllFormats::names
    std::string kernel = "auto";  ///< auto, or the name of a listed kernel
    Index columns = 1;            ///< of the panels that it will multiply; more than one: formats are tried with SpMM
    double products = 200;        ///< that will be computed, as far as one knows: a trial takes 3 % of them at most
    ProductTimer timer = {};      ///< of a trial; none: by the wall, on a device by its own clock
    bool may_stay = true;         ///< a device's solver may keep a small matrix in its multiprocessors' shared memory
};

template <class B, class T>
struct ChosenOperator {
    SpmvOperator<B, T> a;
    std::string why;  ///< one sentence for reports: what was expected and measured, or why nothing was
};

/// Puts a matrix into the format and under the kernel that should multiply fastest on this backend.
///
/// A model ranks the listed kernels: the bytes that they move, with the padding of this matrix, at the share of the
/// memory's rate that they reach, on a device also what a kernel takes to start and how long a lane is at the longest
/// row (KernelCost), and the conversion shared among the products. Those within a quarter of the best are timed on the
/// matrix itself, in turns, as far as that takes 3 % of the expected iterations of CG; the model's choice stands unless
/// another gains in every round. So what else the machine does decides nothing, and with the same times the choice is
/// the same. Formats with more than a quarter of padding are left out (on a device, three quarters where the cache
/// holds them). The default kernel of CSR is taken for up to 5 products, and on a host below 64 KiB.
///
/// What `choice` names is taken as it says. `rows` are the statistics of A. Throws InvalidArgument for names that there
/// are not, with those there are, and where padding exceeds its limit. With choice.columns > 1 the default SpMM rung of
/// each format is looked at instead, and the kernel is the default of the format that multiplies panels fastest.
/// Memory: a copy of A for each other format that is measured; those not chosen are freed.
template <class B, class T>
ChosenOperator<B, T> choose_operator(B& backend, Csr<T, typename B::memory> a, const RowStatistics& rows,
                                     const FormatChoice& choice = {});

}  // namespace stiefel
