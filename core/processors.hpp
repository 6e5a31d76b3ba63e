#pragma once

#include <filesystem>

namespace stiefel {

/// The processors that the CPU quotas of this process's control groups add up to, version 1 (cpu.cfs_quota_us) and
/// version 2 (cpu.max), the tightest of a group and those around it; infinite without any. Reads proc/self/cgroup and
/// proc/self/mountinfo below `root`, and the groups where those say they are mounted, below `root` as well.
double cpu_quota(const std::filesystem::path& root = "/");

/// Threads that `available` processors under such a quota feed: whole ones, for threads that meet at barriers all
/// stand still once the quota of a period is used up. At least 1.
int threads_under_quota(int available, double quota);

}  // namespace stiefel
