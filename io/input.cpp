#include "stiefel/io/input.hpp"

#include "stiefel/core/error.hpp"
#include "stiefel/core/openmp.hpp"
#include "stiefel/io/first_failure.hpp"
#include "stiefel/io/foreign_formats.hpp"
#include "stiefel/io/gunzip.hpp"
#include "stiefel/io/stream.hpp"
#include "stiefel/io/tar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace stiefel {

namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

/// Whether `path` is .../NAME/NAME<suffix>.mtx.
bool is_wanted(std::string_view path, std::string_view suffix) {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string_view::npos) return false;
    const std::string_view folder = path.substr(0, slash);
    const std::string_view name = folder.substr(folder.rfind('/') + 1);
    return path.substr(slash + 1) == fmt::format("{}{}.mtx", name, suffix);
}

const TarMember& pick(const std::vector<TarMember>& members, const std::string& suffix, const std::string& archive) {
    const TarMember* only = nullptr;
    int n_matrices = 0;
    std::string names;
    for (const TarMember& member : members) {
        if (is_wanted(member.name, suffix)) return member;
        if (member.name.ends_with(".mtx")) {
            only = &member;
            ++n_matrices;
        }
        if (names.size() < 200) names += fmt::format("{}{}", names.empty() ? "" : ", ", member.name);
    }
    if (suffix.empty() && n_matrices == 1) return *only;
    throw ParseError(archive, 0, 0,
                     fmt::format("the archive holds no file NAME/NAME{}.mtx; it holds {}", suffix,
                                 names.empty() ? "nothing" : names));
}

/// A whole file, read by several threads.
Mapping read_all(const InputText& input, int threads) {
    constexpr Size piece = Size{1} << 20;
    Mapping memory = Mapping::zeros(input.size());
    const auto size = static_cast<Size>(input.size());
    FirstFailure failure;
#pragma omp parallel for num_threads(OpenMP(threads).threads()) schedule(dynamic)
    for (Size begin = 0; begin < size; begin += piece) {
        failure.keep(begin, [&] {
            const Size n = std::min(piece, size - begin);
            input.copy(static_cast<std::size_t>(begin),
                       memory.bytes().subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(n)));
        });
    }
    failure.rethrow();
    return memory;
}

}  // namespace

InputText InputText::open(const std::string& path, const std::string& member_suffix, Wanted wanted) {
    InputFile file(path);
    InputText input(file.name());
    if (file.has_size()) {
        input.size_ = file.size();
        input.file_ = std::move(file);
    } else {
        input.hold(read_stream(file, wanted));
    }
    input.unpack(member_suffix, wanted);
    return input;
}

InputText InputText::from_memory(std::span<const char> bytes, const std::string& name, const std::string& member_suffix,
                                 Wanted wanted) {
    InputText input(name);
    input.text_ = bytes;
    input.size_ = bytes.size();
    input.unpack(member_suffix, wanted);
    return input;
}

void InputText::hold(Mapping memory) {
    memory_ = std::move(memory);
    file_.reset();
    begin_ = 0;
    text_ = memory_.bytes();
    size_ = text_.size();
}

void InputText::copy(std::size_t offset, std::span<char> to) const {
    if (file_) {
        file_->read_at(begin_ + offset, to);
    } else {
        std::copy_n(text_.data() + offset, to.size(), to.data());
    }
}

std::string InputText::beginning(std::size_t n) const {
    std::string bytes(std::min(n, size_), '\0');
    copy(0, bytes);
    return bytes;
}

std::span<const char> InputText::load(int threads) {
    if (file_) hold(read_all(*this, threads));
    return text_;
}

void InputText::unpack(const std::string& member_suffix, Wanted wanted) {
    std::string first = beginning(tar_block);
    if (is_gzip(first)) {
        hold(gunzip(load(0), name_, wanted));
        first = beginning(tar_block);
    }
    if (is_tar(first)) {
        const std::vector<TarMember> members = list_tar(load(0), name_);
        const TarMember& member = pick(members, member_suffix, name_);
        text_ = member.data;
        size_ = text_.size();
        name_ = fmt::format("{}({})", name_, member.name);
        first = beginning(tar_block);
    }
    refuse_foreign(first, name_);
    if (first.starts_with(byte_order_mark)) {
        size_ -= byte_order_mark.size();
        if (file_) {
            begin_ = byte_order_mark.size();
        } else {
            text_ = text_.last(size_);
        }
    }
}

}  // namespace stiefel
