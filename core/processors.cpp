#include "stiefel/core/processors.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace stiefel {

namespace {

namespace fs = std::filesystem;

constexpr double unlimited = std::numeric_limits<double>::infinity();

/// Whether a list separated by commas has the word.
bool lists(const std::string& list, std::string_view word) {
    std::istringstream words(list);
    for (std::string each; std::getline(words, each, ',');) {
        if (each == word) return true;
    }
    return false;
}

/// A mounted hierarchy of control groups that may limit processors.
struct Hierarchy {
    bool unified = false;  ///< version 2
    fs::path mounted_at = {};
    fs::path mounted_from = {};  ///< the group that is seen there: not the topmost one inside of some containers
};

/// A line of mountinfo: "36 35 98:0 /from /at options ... - type source options" (proc_pid_mountinfo(5)).
std::optional<Hierarchy> hierarchy_of(const std::string& line) {
    const std::size_t dash = line.find(" - ");
    if (dash == std::string::npos) return {};
    std::istringstream before(line.substr(0, dash)), after(line.substr(dash + 3));
    std::string id, parent, device, from, at, type, source, options;
    before >> id >> parent >> device >> from >> at;
    after >> type >> source >> options;
    if (type == "cgroup2") return Hierarchy{true, at, from};
    if (type == "cgroup" && lists(options, "cpu")) return Hierarchy{false, at, from};
    return {};
}

/// The group of this process in a hierarchy, from lines "0::/group" (version 2) and "4:cpu,cpuacct:/group".
std::optional<fs::path> group_in(const Hierarchy& hierarchy, const fs::path& root) {
    std::ifstream file(root / "proc/self/cgroup");
    for (std::string line; std::getline(file, line);) {
        const std::size_t first = line.find(':');
        const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
        if (second == std::string::npos) continue;
        const std::string controllers = line.substr(first + 1, second - first - 1);
        if (hierarchy.unified ? line.starts_with("0::") : lists(controllers, "cpu")) return line.substr(second + 1);
    }
    return {};
}

/// A quota of a group, in processors; "max" and negative quotas are none, nor is a file that is not there.
double quota_of(const Hierarchy& hierarchy, const fs::path& group) {
    double quota = 0, period = 0;
    if (hierarchy.unified) {
        std::ifstream(group / "cpu.max") >> quota >> period;
    } else {
        std::ifstream(group / "cpu.cfs_quota_us") >> quota;
        std::ifstream(group / "cpu.cfs_period_us") >> period;
    }
    return quota > 0 && period > 0 ? quota / period : unlimited;
}

/// The tightest quota from a group up to where the hierarchy is mounted.
double tightest_quota(const Hierarchy& hierarchy, const fs::path& root) {
    const std::optional<fs::path> group = group_in(hierarchy, root);
    if (!group) return unlimited;
    const fs::path top = root / hierarchy.mounted_at.relative_path();
    const fs::path inside = group->lexically_relative(hierarchy.mounted_from);
    const bool is_seen = !inside.empty() && *inside.begin() != "..";
    double quota = quota_of(hierarchy, top);
    fs::path path = top;
    for (const fs::path& name : is_seen ? inside : fs::path()) {
        path /= name;
        quota = std::min(quota, quota_of(hierarchy, path));
    }
    return quota;
}

}  // namespace

double cpu_quota(const fs::path& root) {
    double quota = unlimited;
    std::ifstream mounts(root / "proc/self/mountinfo");
    for (std::string line; std::getline(mounts, line);) {
        if (const auto hierarchy = hierarchy_of(line)) quota = std::min(quota, tightest_quota(*hierarchy, root));
    }
    return quota;
}

int threads_under_quota(int available, double quota) {
    if (quota >= available) return std::max(available, 1);
    return std::max(static_cast<int>(quota), 1);
}

}  // namespace stiefel
