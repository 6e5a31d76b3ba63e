#include "cli/documented_json.hpp"
#include "test_paths.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace stiefel::test {

void expect_documented(const nlohmann::json& types, const nlohmann::json& value, const std::string& path) {
    if (types.is_object()) {
        ASSERT_TRUE(value.is_object()) << path;
        for (const auto& [key, inner] : types.items()) {
            ASSERT_TRUE(value.contains(key)) << path << "." << key;
            expect_documented(inner, value[key], path + "." + key);
        }
        EXPECT_EQ(value.size(), types.size()) << path << " has keys that are not documented";
    } else if (types.is_array()) {
        ASSERT_TRUE(value.is_array()) << path;
        ASSERT_TRUE(value.empty() || types.size() == 1) << path << " has elements, and none are documented";
        for (const auto& element : value) expect_documented(types.at(0), element, path + "[]");
    } else {
        const std::string name = types;
        const bool matches = (name.starts_with("string") && value.is_string()) ||
                             (name.starts_with("integer") && value.is_number_integer()) ||
                             (name.starts_with("real") && value.is_number()) ||
                             (name == "boolean" && value.is_boolean()) || (name.ends_with("null") && value.is_null());
        EXPECT_TRUE(matches) << path << " is " << value << ", expected " << name;
    }
}

namespace {

std::string page_of_docs() {
    std::ifstream file(STIEFEL_DOCS "/cli.md");
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

bool is_named(const std::string& key, const std::string& page) {
    for (std::size_t at = page.find(key); at != std::string::npos; at = page.find(key, at + 1)) {
        const char before = at > 0 ? page[at - 1] : ' ', after = page[std::min(at + key.size(), page.size() - 1)];
        if ((before == '`' || before == '.') && (after == '`' || after == '.' || after == '[')) return true;
    }
    return false;
}

void expect_named(const nlohmann::json& value, const std::string& page) {
    if (value.is_object()) {
        for (const auto& [key, inner] : value.items()) {
            EXPECT_TRUE(is_named(key, page)) << key << " is not named in " << STIEFEL_DOCS "/cli.md";
            expect_named(inner, page);
        }
    } else if (value.is_array()) {
        for (const auto& element : value) expect_named(element, page);
    }
}

}  // namespace

void expect_named_in_docs(const nlohmann::json& value) {
    const std::string page = page_of_docs();
    ASSERT_FALSE(page.empty()) << STIEFEL_DOCS "/cli.md";
    expect_named(value, page);
}

}  // namespace stiefel::test
