#pragma once

namespace stiefel {

/// Measured floating-point operations per second of so many threads in T, float or double: the peak performance of the
/// roofline model (Williams, Waterman, Patterson 2009). Every thread multiplies and adds in the widest registers of
/// this machine, touching no memory; a fused multiply-add counts as two operations. The best of a few passes, as
/// read_bandwidth is; some 5 ms where nothing else runs. Throws InvalidArgument without a thread.
template <class T>
double peak_flops(int threads);

}  // namespace stiefel
