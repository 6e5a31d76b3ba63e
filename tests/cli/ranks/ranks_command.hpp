#pragma once

#include "cli/program.hpp"
#include "test_paths.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

namespace stiefel::test {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

inline constexpr const char* seconds_until_killed = "OMPI_MCA_odls_base_sigkill_timeout";

/// More ranks than there are cores, as root where tests run so, one thread each. Open MPI's mpirun waits a second, and
/// another, before it kills what has failed, which nothing here needs but signals: a test of these sets it otherwise.
/// Of several launchers at once one may fail to make the folder that those of a host share, so each test's has its own.
inline void set_launcher() {
    static const Folder sessions;
    setenv("OMPI_MCA_orte_tmpdir_base", sessions.path().c_str(), 1);
    for (const char* const variable :
         {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "OMPI_MCA_rmaps_base_oversubscribe",
          "OMPI_MCA_mpi_yield_when_idle", "OMP_NUM_THREADS"}) {
        setenv(variable, "1", 1);
    }
    setenv("OMP_WAIT_POLICY", "passive", 1);
    setenv(seconds_until_killed, "0", 0);
}

/// The command line of `mpirun -np n stiefel WORDS`.
inline Words on_ranks(int n, const Words& words, const std::string& program = STIEFEL_OF_RANKS) {
    set_launcher();
    Words all{STIEFEL_NUMPROC_FLAG, std::to_string(n), program};
    all.insert(all.end(), words.begin(), words.end());
    return all;
}

/// What the program says on standard error, a line each; what mpirun adds is left out.
inline Words said(const Finished& run) {
    Words lines;
    std::istringstream text(run.err);
    for (std::string line; std::getline(text, line);) {
        if (line.starts_with("stiefel: ")) lines.push_back(line);
    }
    return lines;
}

/// The lines of a Matrix Market file of the 1-D Poisson matrix of n rows, below its sizes: diagonal, then one triangle.
inline Words poisson_lines(int n) {
    Words lines;
    for (int i = 1; i <= n; ++i) lines.push_back(std::to_string(i) + ' ' + std::to_string(i) + " 2");
    for (int i = 1; i < n; ++i) lines.push_back(std::to_string(i + 1) + ' ' + std::to_string(i) + " -1");
    return lines;
}
inline std::string matrix_text(const std::string& symmetry, int n, std::size_t n_entries, const Words& lines) {
    std::string text = "%%MatrixMarket matrix coordinate real " + symmetry + "\n" + std::to_string(n) + ' ' +
                       std::to_string(n) + ' ' + std::to_string(n_entries) + '\n';
    for (const std::string& line : lines) text += line + '\n';
    return text;
}

}  // namespace stiefel::test
