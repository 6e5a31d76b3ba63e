#pragma once

#include <string>

namespace stiefel::test {

/// Expects a page to need nothing from elsewhere, to run nothing, to suit a phone's screen, and to close every element
/// that it opens, in order.
void expect_self_contained(const std::string& page);

}  // namespace stiefel::test
