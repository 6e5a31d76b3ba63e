#pragma once

#include "bench/suites/scratch_folder.hpp"

#include <fstream>
#include <sstream>
#include <string>

namespace stiefel::test {

/// A file in a folder of its own, not there yet.
class ScratchFile {
public:
    const std::string& path() const { return path_; }

    std::string text() const {
        std::ostringstream text;
        text << std::ifstream(path_).rdbuf();
        return text.str();
    }
    void write(const std::string& text) const { std::ofstream(path_) << text; }

private:
    bench::ScratchFolder folder_;
    std::string path_ = folder_.path() + "/suite.json";
};

}  // namespace stiefel::test
