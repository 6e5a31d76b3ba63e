#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <optional>

namespace stiefel::bench {

/// A value that is made when it is first asked for. What went wrong then is thrown again whenever it is asked for.
template <class T>
class Lazy {
public:
    explicit Lazy(std::function<T()> make) : make_(std::move(make)) {}

    T& get() {
        if (failure_) std::rethrow_exception(failure_);
        if (!value_) make();
        return *value_;
    }

private:
    void make() {
        try {
            value_.emplace(make_());
        } catch (...) {
            failure_ = std::current_exception();
            throw;
        }
        make_ = nullptr;  // and with it what it was made of
    }

    std::function<T()> make_;
    std::optional<T> value_;
    std::exception_ptr failure_;
};

template <class T, class F>
std::shared_ptr<Lazy<T>> lazy(F make) {
    return std::make_shared<Lazy<T>>(std::move(make));
}

}  // namespace stiefel::bench
