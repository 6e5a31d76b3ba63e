#include "stiefel/cli/terminal/terminal.hpp"

#include "stiefel/cli/terminal/wrapping.hpp"
#include "stiefel/core/error.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace stiefel::cli {

namespace {

bool others_speak = false;
bool has_launcher = false;

bool write_all(int file_descriptor, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = write(file_descriptor, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

std::string_view escape_of(Style style) {
    switch (style) {
        case Style::plain:
            return "";
        case Style::bold:
            return "\x1b[1m";
        case Style::good:
            return "\x1b[1;32m";
        case Style::bad:
            return "\x1b[1;31m";
        case Style::faint:
            return "\x1b[2m";
    }
    return "";
}

}  // namespace

bool is_terminal(int file_descriptor) {
    if (has_launcher) return false;
    const char* term = std::getenv("TERM");
    return isatty(file_descriptor) == 1 && term != nullptr && std::strcmp(term, "dumb") != 0;
}

int terminal_width(int file_descriptor) {
    winsize size{};
    if (ioctl(file_descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
    return 80;
}

std::string styled(Style style, std::string_view text) {
    const char* no_color = std::getenv("NO_COLOR");
    const bool plain = (no_color != nullptr && *no_color != '\0') || !is_terminal(STDOUT_FILENO);
    if (plain || style == Style::plain) return std::string(text);
    return fmt::format("{}{}\x1b[0m", escape_of(style), text);
}

void speak_through_launcher() {
    has_launcher = true;
}

void leave_speaking_to_others() {
    others_speak = true;
}

void speak_again() {
    others_speak = false;
}

void print(std::string_view text) {
    if (others_speak) return;
    if (write_all(STDOUT_FILENO, text) || errno == EPIPE) return;
    throw Error(fmt::format("standard output cannot be written: {}", std::strerror(errno)));
}

void print_message(std::string_view text) {
    if (others_speak) return;
    std::string page = fmt::format("stiefel: {}\n", text);
    if (is_terminal(STDERR_FILENO)) {
        page.clear();
        append_wrapped(page, fmt::format("stiefel: {}", text), 0, page_width(terminal_width(STDERR_FILENO)));
    }
    write_all(STDERR_FILENO, page);
}

StatusLine::StatusLine(bool quiet) : is_shown_(!quiet && is_terminal(STDERR_FILENO)) {}

int StatusLine::width() const {
    return terminal_width(STDERR_FILENO);
}

void StatusLine::show(std::string_view text) {
    if (!is_shown_) return;
    // One column is left free: a full line would wrap, and could then not be rewritten.
    const auto columns = static_cast<std::size_t>(width() - 1);
    write_all(STDERR_FILENO, fmt::format("\r\x1b[K{}", shortened(text, columns)));
    is_dirty_ = true;
}

void StatusLine::clear() {
    if (!is_dirty_) return;
    write_all(STDERR_FILENO, "\r\x1b[K");
    is_dirty_ = false;
}

}  // namespace stiefel::cli
