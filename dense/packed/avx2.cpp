#include "stiefel/dense/packed/micro_kernel_code.hpp"
#include "stiefel/dense/packed/panel_kernel_code.hpp"
#include "stiefel/dense/packed/register_transpose.hpp"

namespace stiefel {

constinit const MicroKernel<double> avx2_double = packed::micro_kernel<double, 4, 4, 3, 4>("avx2");
constinit const MicroKernel<float> avx2_float = packed::micro_kernel<float, 8, 4, 3, 4>("avx2");

constinit const RegisterTile<double> avx2_tile_double = packed::tile<double, 4>();
constinit const RegisterTile<float> avx2_tile_float = packed::tile<float, 8>();

constinit const PanelKernel avx2_panel = packed::panel_kernel<4, 4, 3>("avx2");

}  // namespace stiefel
