#pragma once

#include "bench/products.hpp"

#include "stiefel/spmv/device_formats.hpp"

#include <map>
#include <optional>

namespace stiefel::bench {

/// Operands on the device, copied there once. Those of the host must outlive it.
class UploadedOperands {
public:
    explicit UploadedOperands(Cuda& backend) : backend_(backend) {}

    const DeviceCsr<double>& operator()(const HostCsr<double>& a) {
        auto& there = copies_[&a];
        if (!there) there = to_device(backend_, a);
        return *there;
    }

    /// All of a product's, before it is timed.
    void take(const Product& product) {
        for (const auto* operand : {product.left, product.middle, product.right}) {
            if (operand != nullptr) (*this)(*operand);
        }
    }

private:
    Cuda& backend_;
    std::map<const void*, std::optional<DeviceCsr<double>>> copies_;
};

}  // namespace stiefel::bench
