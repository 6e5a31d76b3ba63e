#pragma once

#include "stiefel/spmv/products/spgemm.hpp"

#include <array>

namespace stiefel::bench {

/// A way to P' (A P) on a device other than two products by hash tables.
struct GalerkinWay {
    const char* name;
    DeviceCsr<double> (*multiply)(Cuda&, const DeviceCsr<double>& a, const DeviceCsr<double>& p,
                                  const DeviceCsr<double>& p_transposed);
};

inline constexpr std::array galerkin_ways{GalerkinWay{"X + X'", galerkin_product<double>},
                                          GalerkinWay{"short rows", short_galerkin_product<double>}};

}  // namespace stiefel::bench
