#include "stiefel/dense/packed/micro_kernel_code.hpp"
#include "stiefel/dense/packed/panel_kernel_code.hpp"
#include "stiefel/dense/packed/register_transpose.hpp"

namespace stiefel {

constinit const MicroKernel<double> baseline_double = packed::micro_kernel<double, 2, 4, 2, 2>("baseline");
constinit const MicroKernel<float> baseline_float = packed::micro_kernel<float, 4, 4, 2, 4>("baseline");

constinit const RegisterTile<double> baseline_tile_double = packed::tile<double, 2>();
constinit const RegisterTile<float> baseline_tile_float = packed::tile<float, 4>();

constinit const PanelKernel baseline_panel = packed::panel_kernel<2, 4, 2>("baseline");

}  // namespace stiefel
