#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/problems/row_source.hpp"
#include "stiefel/spmv/csr.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace stiefel {

/// What is known of the matrices of a problem whatever its arguments.
enum class ProblemKind { spd, symmetric, general };

/// "symmetric positive definite", ...
std::string_view describe(ProblemKind kind);

/// `size`: a whole number that says how large the matrix is, given in order; `whole` and `real`: given by name.
enum class ParameterKind { size, whole, real };

struct ProblemParameter {
    std::string_view name;
    ParameterKind kind;
    std::optional<double> fallback;  ///< the default; without one, the value of the parameter before it
    std::string_view meaning;        ///< one line, with the range
};

class ProblemArguments;

/// A family of test matrices as data. What is listed in problems() is offered by `stiefel generate`, shown in its help
/// and tested; nothing else needs to know of it.
struct Problem {
    std::string_view name;
    std::string_view description;  ///< one line
    ProblemKind kind;
    std::vector<ProblemParameter> parameters;
    HostCsr<float> (*make_float)(OpenMP&, const ProblemArguments&);
    HostCsr<double> (*make_double)(OpenMP&, const ProblemArguments&);
    RowSource (*source)(const ProblemArguments&);
    /// Where nodes of several unknowns are: x of all of them, then y, then z. None where rows are nodes.
    HostVector<double> (*make_coordinates)(const ProblemArguments&) = nullptr;

    template <class T>
    HostCsr<T> make(OpenMP& backend, const ProblemArguments& arguments) const {
        if constexpr (std::is_same_v<T, float>) {
            return make_float(backend, arguments);
        } else {
            return make_double(backend, arguments);
        }
    }
};

std::span<const Problem> problems();

/// Throws InvalidArgument that names the problems there are.
const Problem& find_problem(std::string_view name);

/// Values for a problem's parameters, defaults where none is set. The problem must outlive it (those listed do).
/// Everything throws InvalidArgument that names problem and parameter, what was found and what was expected.
class ProblemArguments {
public:
    explicit ProblemArguments(const Problem& problem);

    void set(std::string_view name, double value);
    /// A number as typed; whole numbers may be written 1e6.
    void set(std::string_view name, std::string_view text);
    /// Values for the first of the `size` parameters, in order.
    void set_sizes(std::span<const std::string> texts);

    double real(std::string_view name) const;
    Index index(std::string_view name) const;
    std::uint64_t seed(std::string_view name) const;

private:
    std::size_t position(std::string_view name) const;

    const Problem* problem_;
    std::vector<std::optional<double>> values_;
};

}  // namespace stiefel
