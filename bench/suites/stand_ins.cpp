#include "bench/suites/stand_ins.hpp"

#include "bench/suites/row_lengths.hpp"
#include "bench/suites/symmetric_pattern.hpp"
#include "bench/suites/window.hpp"

#include "stiefel/core/error.hpp"
#include "stiefel/problems/build_csr.hpp"
#include "stiefel/spmv/convert.hpp"

#include <fmt/format.h>

#include <array>

namespace stiefel::bench {

namespace {

using enum StandInSymmetry;

constexpr std::array collection{std::to_array<StandIn>({
#include "bench/suites/collection.inc"
})};

/// FNV-1a.
std::uint64_t seed_of(std::string_view name) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char letter : name) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3;
    return hash;
}

/// The t-th of n marks that lie evenly among `size` places.
Size mark(Size t, Size n, Size size) {
    __extension__ using Wide = __int128;
    return static_cast<Size>(static_cast<Wide>(t) * size / n);
}

HostCsr<double> general_stand_in(OpenMP& backend, const StandIn& m, const HostVector<Index>& lengths,
                                 std::uint64_t seed) {
    HostCsr<double> a = build_csr<double>(backend, m.rows, m.rows, [&](Index i, const auto& emit) {
        const RandomRow values(seed + 1, i);
        Size k = 0;
        for_columns(window_around(i, lengths[i], m.reach, m.rows), lengths[i], m.run, RandomRow(seed, i / m.run),
                    [&](Index column) { emit(column, 2 * values.uniform(k++) - 1); });
    });
    for (Size t = 0; t < m.zeros; ++t) a.values[mark(t, m.zeros, m.entries())] = 0;
    return a;
}

HostCsr<double> symmetric_stand_in(OpenMP& backend, const StandIn& m, HostVector<Index> lengths, std::uint64_t seed) {
    Coo<double> lower = symmetric_pattern({.entries = m.entries(),
                                           .longest = m.longest,
                                           .run = m.run,
                                           .reach = m.reach,
                                           .has_diagonal = m.symmetry == symmetric},
                                          std::move(lengths), seed);
    Size beside_diagonal = 0;
    for (Size e = 0; e < lower.n_entries(); ++e) {
        lower.values[e] = 2 * RandomRow(seed + 1, e).uniform(0) - 1;
        beside_diagonal += lower.row_idx[e] != lower.col_idx[e];
    }
    // The diagonal comes last; each zero beside it counts twice.
    for (Size t = 0; t < m.zeros / 2; ++t) lower.values[mark(t, m.zeros / 2, beside_diagonal)] = 0;
    return csr_from_coo(backend, lower).csr;
}

}  // namespace

std::span<const StandIn> stand_ins() {
    return collection;
}

const StandIn& find_stand_in(std::string_view name) {
    std::string names;
    for (const StandIn& matrix : collection) {
        if (matrix.name == name) return matrix;
        names += fmt::format("{}{}", names.empty() ? "" : ", ", matrix.name);
    }
    throw InvalidArgument(fmt::format("there is no stand-in for '{}'; there are: {}", name, names));
}

HostCsr<double> make_stand_in(OpenMP& backend, const StandIn& m) {
    HostVector<Index> lengths = row_lengths({.rows = m.rows,
                                             .entries = m.entries(),
                                             .shortest = m.shortest,
                                             .longest = m.longest,
                                             .deviation = m.deviation,
                                             .run = m.run});
    const std::uint64_t seed = seed_of(m.name);
    return m.is_symmetric() ? symmetric_stand_in(backend, m, std::move(lengths), seed)
                            : general_stand_in(backend, m, lengths, seed);
}

}  // namespace stiefel::bench
