#include "cli/program.hpp"
#include "test_paths.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace stiefel::test {

namespace {

struct Pipe {
    int read_end = -1;
    int write_end = -1;
};

Pipe make_pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe2 failed");
    return {ends[0], ends[1]};
}

/// A pseudo-terminal; the program writes to write_end and the test reads what a screen would show.
Pipe make_terminal(int columns) {
    winsize size{};
    size.ws_col = static_cast<unsigned short>(columns);
    size.ws_row = 24;
    int master = -1, slave = -1;
    if (openpty(&master, &slave, nullptr, nullptr, &size) != 0) {
        throw std::runtime_error("openpty failed: is /dev/pts mounted?");
    }
    fcntl(master, F_SETFD, FD_CLOEXEC);
    return {master, slave};
}

[[noreturn]] void become_program(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
                                 const Running& how, int in, int out, int err) {
    dup2(in, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    // As from a shell, though the tests be run in its background, where SIGINT is ignored, or under nohup.
    for (int signal : {SIGPIPE, SIGINT, SIGHUP}) std::signal(signal, SIG_DFL);
    setenv("TERM", "xterm", 1);
    if (how.before_start) how.before_start();
    std::vector<char*> words{const_cast<char*>(STIEFEL_PROGRAM)};
    for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
    words.push_back(nullptr);
    if (chdir(folder.c_str()) == 0) execv(STIEFEL_PROGRAM, words.data());
    _exit(127);
}

/// Reads what has come; false at the end of the stream. (A terminal whose other side is closed gives EIO.)
bool take(int descriptor, std::string& text) {
    char buffer[65536];
    const ssize_t n = read(descriptor, buffer, sizeof buffer);
    if (n <= 0) return false;
    text.append(buffer, static_cast<std::size_t>(n));
    return true;
}

/// Feeds standard input and collects both outputs until they are closed.
void converse(const Running& how, int pid, int in, int out, int err, Finished& result) {
    using Clock = std::chrono::steady_clock;
    const auto deadline = Clock::now() + std::chrono::seconds(60);
    std::size_t fed = 0;
    while (out >= 0 || err >= 0) {
        pollfd ends[] = {{out, POLLIN, 0}, {err, POLLIN, 0}, {fed < how.input.size() ? in : -1, POLLOUT, 0}};
        poll(ends, 3, 5);
        if (Clock::now() > deadline) kill(pid, SIGKILL);
        if (how.on_tick) how.on_tick(pid);
        if ((ends[2].revents & (POLLOUT | POLLERR)) != 0) {
            const ssize_t n = write(in, how.input.data() + fed, how.input.size() - fed);
            fed = n > 0 ? fed + static_cast<std::size_t>(n) : how.input.size();
            if (fed == how.input.size()) close(in);
        }
        if (ends[0].revents != 0 && !take(out, result.out)) out = -1;
        if (ends[1].revents != 0) {
            if (!take(err, result.err))
                err = -1;
            else if (how.on_err)
                how.on_err(result.err, pid);
        }
    }
}

}  // namespace

Finished run(const std::vector<std::string>& arguments, const std::filesystem::path& folder, const Running& how) {
    std::signal(SIGPIPE, SIG_IGN);
    const Pipe in = make_pipe();
    const Pipe out = how.out_is_terminal ? make_terminal(how.terminal_columns) : make_pipe();
    const Pipe err = how.err_is_terminal ? make_terminal(how.terminal_columns) : make_pipe();
    const pid_t pid = fork();
    if (pid == 0) become_program(arguments, folder, how, in.read_end, out.write_end, err.write_end);
    for (int ours : {in.read_end, out.write_end, err.write_end}) close(ours);
    if (how.input.empty()) close(in.write_end);
    if (how.close_out) close(out.read_end);

    Finished result;
    converse(how, pid, in.write_end, how.close_out ? -1 : out.read_end, err.read_end, result);
    if (!how.close_out) close(out.read_end);
    close(err.read_end);
    int status = 0;
    waitpid(pid, &status, 0);
    if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
    return result;
}

bool catches(int pid, int signal) {
    std::ifstream status("/proc/" + std::to_string(pid) + "/status");
    for (std::string line; std::getline(status, line);) {
        if (!line.starts_with("SigCgt:")) continue;
        return ((std::stoull(line.substr(7), nullptr, 16) >> (signal - 1)) & 1) != 0;
    }
    return false;
}

Folder::Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "stiefel-cli-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    path_ = pattern;
}

Folder::~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

void Folder::write(const std::string& name, const std::string& text) const {
    std::ofstream file(path_ / name, std::ios::binary);
    file << text;
}

std::string Folder::read(const std::string& name) const {
    std::ifstream file(path_ / name, std::ios::binary);
    EXPECT_TRUE(file.good()) << name << " is not there";
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

std::vector<std::string> Folder::names() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
}

}  // namespace stiefel::test
