#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace stiefel {

/// Base of everything the library throws on purpose; what() is a complete sentence for the user.
class Error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// An argument violates the contract of the called function (size mismatch, unknown kernel name, value out of range).
class InvalidArgument : public Error {
public:
    using Error::Error;
};

/// A file cannot be opened, read or written. what() is "FILE: reason".
class FileError : public Error {
public:
    FileError(std::string file, std::string_view reason);
    const std::string& file() const { return file_; }

private:
    std::string file_;
};

/// The text of a file is not what its format asks for. Lines and columns count from 1; column 0 means the whole line,
/// line 0 the whole file. what() is "FILE:LINE:COLUMN: what was expected and what was found".
class ParseError : public Error {
public:
    ParseError(std::string file, std::int64_t line, std::int64_t column, std::string_view message);
    const std::string& file() const { return file_; }
    std::int64_t line() const { return line_; }
    std::int64_t column() const { return column_; }

private:
    std::string file_;
    std::int64_t line_;
    std::int64_t column_;
};

/// Memory that was needed is not there. bytes_free is -1 where it cannot be told.
class OutOfMemory : public Error {
public:
    OutOfMemory(std::string_view what_for, std::int64_t bytes_asked, std::int64_t bytes_free);
    std::int64_t bytes_asked() const { return bytes_asked_; }
    std::int64_t bytes_free() const { return bytes_free_; }

private:
    std::int64_t bytes_asked_;
    std::int64_t bytes_free_;
};

/// The threads that were asked for cannot be started.
class OutOfThreads : public Error {
public:
    OutOfThreads(int asked, int startable);
};

/// A device is not there, or failed.
class DeviceError : public Error {
public:
    using Error::Error;
};

/// Throws InvalidArgument(message) unless the condition holds. Messages read "cg: A must be square".
inline void require(bool condition, const char* message) {
    if (!condition) throw InvalidArgument(message);
}

/// "1.5 GiB", "312 B": for messages and reports.
std::string format_bytes(std::int64_t bytes);

}  // namespace stiefel
