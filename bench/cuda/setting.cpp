#include "bench/cuda/setting.hpp"

#include "stiefel/core/bandwidth.hpp"
#include "stiefel/core/error.hpp"
#include "stiefel/problems/poisson.hpp"
#include "stiefel/problems/power_law.hpp"
#include "stiefel/problems/stencil27.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace stiefel::bench {

CudaSetting parse_cuda_setting(const std::vector<std::string>& arguments) {
    CudaSetting setting;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string& name = arguments[i];
        if (!name.starts_with("--")) {
            if (!setting.part.empty()) {
                throw InvalidArgument("one part of a problem's name, not '" + setting.part + "' and '" + name + "'");
            }
            setting.part = name;
            continue;
        }
        if (name != "--type" && name != "--folder") {
            throw InvalidArgument("there is no option " + name + " with --backend cuda");
        }
        if (i + 1 == arguments.size()) throw InvalidArgument(name + " needs a value");
        const std::string& value = arguments[++i];
        if (name == "--folder") {
            setting.folder = value;
        } else {
            setting.single = value == "single";
            if (!setting.single && value != "double") {
                throw InvalidArgument("--type must be double or single, not '" + value + "'");
            }
        }
    }
    require(setting.folder.empty() || !setting.single, "--folder is for --type double");
    return setting;
}

std::vector<CudaProblem> cuda_problems(const std::string& part) {
    std::vector<CudaProblem> problems = {
        {"5-point 2000^2", [](OpenMP& b) { return poisson2d<double>(b, 2000, 2000); }},
        {"7-point 160^3", [](OpenMP& b) { return poisson3d<double>(b, 160, 160, 160); }},
        {"27-point 128^3", [](OpenMP& b) { return stencil27<double>(b, 128, 128, 128); }},
        {"power-law 1M", [](OpenMP& b) { return power_law_rows<double>(b, 1000000, 1000000); }, true, false},
        {"5-point 32^2", [](OpenMP& b) { return poisson2d<double>(b, 32, 32); }, false},
        {"5-point 100^2", [](OpenMP& b) { return poisson2d<double>(b, 100, 100); }, false},
        {"5-point 300^2", [](OpenMP& b) { return poisson2d<double>(b, 300, 300); }, false},
        {"5-point 600^2", [](OpenMP& b) { return poisson2d<double>(b, 600, 600); }, false},
        {"5-point 1000^2", [](OpenMP& b) { return poisson2d<double>(b, 1000, 1000); }, false},
    };
    std::erase_if(problems, [&](const CudaProblem& p) { return p.name.find(part) == std::string::npos; });
    if (problems.empty()) throw InvalidArgument("no problem has '" + part + "' in its name");
    return problems;
}

std::vector<std::filesystem::path> matrix_files(const std::string& folder) {
    if (!std::filesystem::is_directory(folder)) throw InvalidArgument("--folder: there is no folder " + folder);
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().string().find(".mtx") != std::string::npos) files.push_back(entry.path());
    }
    if (files.empty()) throw InvalidArgument("--folder: there is no .mtx file in " + folder);
    std::sort(files.begin(), files.end());
    return files;
}

CudaMachine::CudaMachine() : bandwidth(copy_bandwidth(backend)) {
    fmt::print("{}: copy {:.0f} GB/s\n", backend.device().name, 1e-9 * bandwidth);
}

}  // namespace stiefel::bench
