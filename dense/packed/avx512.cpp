#include "stiefel/dense/packed/micro_kernel_code.hpp"
#include "stiefel/dense/packed/panel_kernel_code.hpp"
#include "stiefel/dense/packed/register_transpose.hpp"

namespace stiefel {

constinit const MicroKernel<double> avx512_double = packed::micro_kernel<double, 8, 8, 3, 8>("avx512");
constinit const MicroKernel<float> avx512_float = packed::micro_kernel<float, 16, 8, 3, 8>("avx512");

constinit const RegisterTile<double> avx512_tile_double = packed::tile<double, 8>();
constinit const RegisterTile<float> avx512_tile_float = packed::tile<float, 16>();

constinit const PanelKernel avx512_panel = packed::panel_kernel<8, 8, 3>("avx512");

}  // namespace stiefel
