#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace stiefel::test {

/// Expects a report to have just the keys of `types`, which has for each what docs/cli.md says it is: "string",
/// "integer", "real", "... or null", or an object or array of those. Elements of an array are all like its first.
void expect_documented(const nlohmann::json& types, const nlohmann::json& value, const std::string& path);

}  // namespace stiefel::test
