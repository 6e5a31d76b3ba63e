#include "cli/html_page.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace stiefel::test {

void expect_self_contained(const std::string& page) {
    for (const char* part : {"http:", "https:", "src=", "href=", "@import", "url("}) {
        EXPECT_EQ(page.find(part), std::string::npos) << part;
    }
    const std::string data = "<script type=\"application/json\" id=\"report\">";
    EXPECT_EQ(page.find("<script"), page.find(data)) << "data, not a script";
    EXPECT_EQ(page.find("<script"), page.rfind("<script"));
    EXPECT_NE(page.find("<meta name=\"viewport\" content=\"width=device-width"), std::string::npos);

    const std::set<std::string> never_closed{"!doctype", "meta", "path", "rect"};
    std::vector<std::string> open;
    for (std::size_t at = page.find('<'); at != std::string::npos; at = page.find('<', at + 1)) {
        const bool closes = page[at + 1] == '/';
        const std::size_t begin = at + (closes ? 2 : 1);
        const std::string name = page.substr(begin, page.find_first_of(" />\n", begin) - begin);
        if (never_closed.contains(name)) continue;
        if (!closes) {
            open.push_back(name);
            continue;
        }
        ASSERT_FALSE(open.empty()) << "</" << name << "> closes nothing";
        ASSERT_EQ(open.back(), name);
        open.pop_back();
    }
    EXPECT_EQ(open, std::vector<std::string>{});
}

}  // namespace stiefel::test
