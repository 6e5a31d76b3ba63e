#pragma once

#include "stiefel/spmv/formats.hpp"

#include <array>
#include <cstddef>
#include <string_view>

namespace stiefel {

/// Bytes that a matrix takes in a format, padding included: what bytes() of the converted matrix would say.
struct BytesInFormat {
    std::string_view format;
    Size bytes = 0;
};

/// In the order of AllFormats; the first is CSR.
using FormatBytes = std::array<BytesInFormat, AllFormats::size>;

/// Computed from the structure, in parallel, without converting; the formats as choose_operator makes them on a host.
template <class T>
FormatBytes bytes_in_formats(OpenMP& backend, const HostCsr<T>& a, const RowStatistics& rows) {
    FormatBytes bytes{};
    std::size_t next = 0;
    AllFormats::for_each([&]<template <class, class> class Format>() {
        using Traits = FormatTraits<Format>;
        const auto shape = Traits::template shapes<HostMemory>(rows).front();
        bytes[next++] = {Traits::name, Traits::size(backend, a, shape).bytes(sizeof(T))};
    });
    return bytes;
}

}  // namespace stiefel
