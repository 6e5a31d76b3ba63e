#pragma once

namespace stiefel {

class Cuda;

/// Measured floating-point operations per second of so many threads in T, float or double: the peak performance of the
/// roofline model (Williams, Waterman, Patterson 2009). Every thread multiplies and adds in the widest registers of
/// this machine, touching no memory; a fused multiply-add counts as two operations. The best of a few passes, as
/// read_bandwidth is; some 5 ms where nothing else runs. Throws InvalidArgument without a thread.
template <class T>
double peak_flops(int threads);

/// The same of a device: by fused multiply-adds on registers, without the tensor cores. Some 2 ms on devices made for
/// double precision, 0.1 s on others.
template <class T>
double peak_flops(const Cuda& backend);

}  // namespace stiefel
