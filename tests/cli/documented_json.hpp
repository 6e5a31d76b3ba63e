#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace stiefel::test {

/// Expects a report to have just the keys of `types`, which has for each what docs/cli.md says it is: "string",
/// "integer", "real", "boolean", "null", "... or null", or an object or array of those. Elements of an array are all
/// like its first.
void expect_documented(const nlohmann::json& types, const nlohmann::json& value, const std::string& path);

/// Expects docs/cli.md to name every key of a report, in any depth: `key`, `group.key`, `.key` or `key[]`.
void expect_named_in_docs(const nlohmann::json& value);

}  // namespace stiefel::test
