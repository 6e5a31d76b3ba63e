#pragma once

#include "bench/ladder.hpp"
#include "bench/products.hpp"

#include <string>
#include <vector>

namespace stiefel::bench {

/// The ladder of one product, without rungs.
Ladder product_ladder(const Product& product, const ProductReference& reference, const std::string& where);

int run_spgemm(const std::vector<std::string>& arguments);

}  // namespace stiefel::bench
