#pragma once

#include <string>
#include <string_view>

namespace stiefel {

/// An output that appears complete or not at all: what is written goes to a new file in the folder of the named one,
/// which commit() puts in its place. Without commit (an exception, an early return) the new file is removed and what
/// the name stood for is untouched. Where the file system has files without a name (O_TMPFILE) the new one gets its
/// name in commit(), so that whatever ends the program, kill -9 as well, leaves nothing behind.
/// A symbolic link stays one: the file that it leads to is replaced, with its permissions, or made if there is none
/// yet.
/// "-" is standard output, and what is not a regular file (a pipe, /dev/null) is written to directly.
/// (Safe against failure of the program, not of the power: nothing waits for the disk.)
class OutputFile {
public:
    /// Throws FileError where no file can be made.
    explicit OutputFile(const std::string& path);
    OutputFile(OutputFile&& other) noexcept;
    OutputFile& operator=(OutputFile&&) = delete;
    ~OutputFile();

    /// Appends text. Throws FileError, with the reason, where the disk is full, the pipe closed or the file as large as
    /// it may be; the last two only in a program that ignores SIGPIPE and SIGXFSZ, which end it otherwise.
    void write(std::string_view text);

    /// Ends the output and gives it its name. Throws FileError. Nothing can be written afterwards.
    void commit();

private:
    void open_nameless();
    void open_named();
    template <class F>
    void take_free_name(F&& make);
    [[noreturn]] void fail(std::string_view action);

    std::string path_;       // as given: for messages
    std::string target_;     // where links lead
    std::string temporary_;  // the new file's name until it takes the target's; empty if it has none
    bool nameless_ = false;  // the new file has yet to be given a name
    int descriptor_ = -1;
};

/// Writes a whole text so.
void write_file(const std::string& path, std::string_view text);

}  // namespace stiefel
