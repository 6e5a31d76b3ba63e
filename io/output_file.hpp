#pragma once

#include <string>
#include <string_view>

namespace stiefel {

/// An output that appears complete or not at all: what is written goes to a new file beside the named one, which
/// commit() puts in its place. Without commit (an exception, an early return) the new file is removed and what the name
/// stood for is untouched. A symbolic link stays one: the file that it leads to is replaced, with its permissions.
/// "-" is standard output, and what is not a regular file (a pipe, /dev/null) is written to directly.
/// (Safe against failure of the program, not of the power: nothing waits for the disk.)
class OutputFile {
public:
    /// Throws FileError where no file can be made.
    explicit OutputFile(const std::string& path);
    OutputFile(OutputFile&& other) noexcept;
    OutputFile& operator=(OutputFile&&) = delete;
    ~OutputFile();

    /// Appends text. Throws FileError, with the reason, where the disk is full or the pipe closed.
    void write(std::string_view text);

    /// Ends the output and gives it its name. Throws FileError. Nothing can be written afterwards.
    void commit();

private:
    void open_beside();
    [[noreturn]] void fail(std::string_view action);

    std::string path_;       // as given: for messages
    std::string target_;     // where links lead
    std::string temporary_;  // empty while the output is not a regular file, and after commit
    int descriptor_ = -1;
};

/// Writes a whole text so.
void write_file(const std::string& path, std::string_view text);

}  // namespace stiefel
