#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace stiefel::test {

/// What a run of the program left behind.
struct Finished {
    int exit_code = -1;  ///< -1 if a signal ended it
    int signal = 0;
    std::string out = {};
    std::string err = {};
};

struct Running {
    std::string input = {};        ///< standard input
    bool out_is_terminal = false;  ///< standard output is a pseudo-terminal
    bool err_is_terminal = false;  ///< standard error is one, another
    int terminal_columns = 100;
    bool close_out = false;  ///< nobody reads standard output
    /// Called whenever something has come on standard error, with all of it and the process: to send signals.
    std::function<void(const std::string& err, int pid)> on_err = {};
    /// Called every few milliseconds while the program runs.
    std::function<void(int pid)> on_tick = {};
    /// Called in the new process before the program takes its place: limits and signals that it inherits.
    std::function<void()> before_start = {};
};

/// Whether the process catches this signal. `stiefel` does so from the moment on that there is something to lose, which
/// is when it begins to solve.
bool catches(int pid, int signal);

/// Runs the built `stiefel` as a shell would, in `folder`, until it ends (killed after a minute).
Finished run(const std::vector<std::string>& arguments, const std::filesystem::path& folder, const Running& how = {});

/// A folder of a test's own, removed with all that is in it.
class Folder {
public:
    Folder();
    ~Folder();
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    const std::filesystem::path& path() const { return path_; }
    std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

    void write(const std::string& name, const std::string& text) const;
    std::string read(const std::string& name) const;
    bool has(const std::string& name) const { return std::filesystem::exists(path_ / name); }

    /// The names of all files in it, sorted: to show that nothing was left behind.
    std::vector<std::string> names() const;

    Finished run(const std::vector<std::string>& arguments, const Running& how = {}) const {
        return test::run(arguments, path_, how);
    }

private:
    std::filesystem::path path_;
};

}  // namespace stiefel::test
