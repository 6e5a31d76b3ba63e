#include "cli/documented_json.hpp"

#include <gtest/gtest.h>

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
        for (const auto& element : value) expect_documented(types.at(0), element, path + "[]");
    } else {
        const std::string name = types;
        const bool matches = (name.starts_with("string") && value.is_string()) ||
                             (name.starts_with("integer") && value.is_number_integer()) ||
                             (name.starts_with("real") && value.is_number()) ||
                             (name.ends_with("or null") && value.is_null());
        EXPECT_TRUE(matches) << path << " is " << value << ", expected " << name;
    }
}

}  // namespace stiefel::test
