#pragma once

#include <string>
#include <string_view>

namespace stiefel::cli {

/// Whether a stream leads to a terminal that understands cursor movement (TERM is not "dumb").
bool is_terminal(int file_descriptor);

/// Columns of the terminal behind the descriptor; 80 where it cannot be told.
int terminal_width(int file_descriptor);

enum class Style { plain, bold, good, bad, faint };

/// Text in a style on standard output: only if that is a terminal and NO_COLOR is not set (no-color.org).
std::string styled(Style style, std::string_view text);

/// From now on what is printed goes through a launcher, which shows a terminal to each process whatever it writes to
/// itself: no styles, and no line that is rewritten.
void speak_through_launcher();

/// From now on this process prints nothing: of several ranks one speaks for all.
void leave_speaking_to_others();
/// ... until this.
void speak_again();

/// Writes a whole text to standard output. A reader that has gone away ("| head") is no error: the rest is dropped.
/// Throws Error if it cannot be written for any other reason (a full disk).
void print(std::string_view text);

/// "stiefel: TEXT" on standard error: one line, wrapped by words where that is a terminal.
void print_message(std::string_view text);

/// The line of standard error that is rewritten in place, only where that is a terminal. Leaves nothing behind. A text
/// that is wider than the terminal is shortened().
class StatusLine {
public:
    /// quiet: shows nothing.
    explicit StatusLine(bool quiet);
    ~StatusLine() { clear(); }
    StatusLine(const StatusLine&) = delete;
    StatusLine& operator=(const StatusLine&) = delete;

    bool is_shown() const { return is_shown_; }
    int width() const;
    void show(std::string_view text);
    void clear();

private:
    bool is_shown_;
    bool is_dirty_ = false;
};

}  // namespace stiefel::cli
