#include "module/arrays.hpp"
#include "module/module.hpp"
#include "stiefel/core/error.hpp"

#include <nanobind/stl/string.h>

#include <string>

#ifdef STIEFEL_HAS_CUDA
#include "stiefel/core/cuda/check.hpp"
#endif

namespace stiefel::python {

namespace {

/// An array of another library, taken by DLPack: looked at where it lies, and held there until this is gone.
struct Tensor {
    nb::ndarray<nb::ro> array;
    bool is_writable;
};

Tensor tensor_of(const nb::object& capsule) {
    // A capsule of an array that must not be written to is left as it is by the first cast.
    if (nb::ndarray<> array; nb::try_cast(capsule, array)) return {nb::ndarray<nb::ro>(array), true};
    if (nb::ndarray<nb::ro> array; nb::try_cast(capsule, array)) return {array, false};
    throw InvalidArgument("DLPack: the capsule holds no array, or one that was taken before");
}

/// As NumPy would call it, whether it knows the type or not.
std::string type_name(const Tensor& tensor) {
    const auto dtype = tensor.array.dtype();
    const auto name = [&]() -> std::string {
        switch (static_cast<nb::dlpack::dtype_code>(dtype.code)) {
            case nb::dlpack::dtype_code::Int:
                return "int";
            case nb::dlpack::dtype_code::UInt:
                return "uint";
            case nb::dlpack::dtype_code::Float:
                return "float";
            case nb::dlpack::dtype_code::Bfloat:
                return "bfloat";
            case nb::dlpack::dtype_code::Complex:
                return "complex";
            case nb::dlpack::dtype_code::Bool:
                return "bool";
            default:
                return "type " + std::to_string(dtype.code) + " of ";
        }
    }();
    if (name == "bool") return name;
    const std::string lanes = dtype.lanes == 1 ? "" : "x" + std::to_string(dtype.lanes);
    return name + std::to_string(dtype.bits) + lanes;
}

nb::tuple shape(const Tensor& tensor) {
    nb::list sizes;
    for (std::size_t i = 0; i < tensor.array.ndim(); ++i) sizes.append(tensor.array.shape(i));
    return nb::tuple(sizes);
}

/// Row after row, without gaps.
bool is_contiguous(const Tensor& tensor) {
    std::int64_t next = 1;
    for (std::size_t i = tensor.array.ndim(); i-- > 0;) {
        const auto size = static_cast<std::int64_t>(tensor.array.shape(i));
        if (size == 0) return true;
        if (size > 1 && tensor.array.stride(i) != next) return false;
        next *= size;
    }
    return true;
}

#ifdef STIEFEL_HAS_CUDA

/// Until what a stream of a device was given is done; 1 is the device's default stream, as its own number is.
void wait_for_stream(std::uintptr_t stream, int device) {
    const nb::gil_scoped_release release;
    int current = 0;
    check_cuda(cudaGetDevice(&current), "asking for the current device");
    check_cuda(cudaSetDevice(device), "selecting the device");
    const cudaError_t waited = cudaStreamSynchronize(reinterpret_cast<cudaStream_t>(stream));
    check_cuda(cudaSetDevice(current), "selecting the device that was current");
    check_cuda(waited, "waiting for what was asked of the device before");
}

#else

void wait_for_stream(std::uintptr_t, int) {
    throw DeviceError("this Stiefel was built without CUDA");
}

#endif

}  // namespace

void add_tensors(nb::module_& module) {
    nb::class_<Tensor>(module, "Tensor")
        .def_prop_ro("address", [](const Tensor& t) { return reinterpret_cast<std::uintptr_t>(t.array.data()); })
        .def_prop_ro("shape", shape)
        .def_prop_ro("size", [](const Tensor& t) { return t.array.size(); })
        .def_prop_ro("dtype", type_name)
        .def_prop_ro("is_contiguous", is_contiguous)
        .def_prop_ro("is_writable", [](const Tensor& t) { return t.is_writable; })
        .def_prop_ro("device",
                     [](const Tensor& t) { return nb::make_tuple(t.array.device_type(), t.array.device_id()); });
    module.def("tensor_of", tensor_of);
    module.def("wait_for_stream", wait_for_stream);
}

}  // namespace stiefel::python
