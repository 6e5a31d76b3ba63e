#include "stiefel/spmv/kernel_names.hpp"

#include "stiefel/spmv/formats.hpp"
#include "stiefel/spmv/spmv.hpp"
#ifdef STIEFEL_HAS_CUDA
#include "stiefel/spmv/cuda/kernel_names.hpp"
#endif

#include <algorithm>

namespace stiefel {

namespace {

template <class Backend>
void append_host_names(const Backend& backend, std::vector<std::string_view>& names) {
    AllFormats::for_each([&]<template <class, class> class Format>() {
        for (const auto& kernel : spmv_kernels(backend, Format<double, HostMemory>())) names.push_back(kernel.name);
    });
}

}  // namespace

std::vector<std::string_view> spmv_kernel_names() {
    std::vector<std::string_view> names;
    append_host_names(Serial(), names);
    append_host_names(OpenMP(1), names);
#ifdef STIEFEL_HAS_CUDA
    cuda::append_spmv_kernel_names(names);
#endif
    std::vector<std::string_view> each_once;
    for (const std::string_view name : names) {
        if (std::find(each_once.begin(), each_once.end(), name) == each_once.end()) each_once.push_back(name);
    }
    return each_once;
}

}  // namespace stiefel
