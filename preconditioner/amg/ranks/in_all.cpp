#include "stiefel/preconditioner/amg/ranks/in_all.hpp"

#include "stiefel/core/error.hpp"
#include "stiefel/preconditioner/amg/coarse_diagonal.hpp"
#include "stiefel/world/exchange.hpp"

#include <string>

namespace stiefel::amg {

void in_all(Ranks& ranks, const std::function<void()>& f) {
    constexpr char not_definite = 'd', invalid = 'i';
    std::string wrong;
    try {
        f();
    } catch (const NotDefinite& problem) {
        wrong = not_definite + std::string(problem.what());
    } catch (const InvalidArgument& problem) {
        wrong = invalid + std::string(problem.what());
    }
    for (const std::string& said : texts_told_to_all(ranks, wrong)) {
        if (said.empty()) continue;
        if (said.front() == not_definite) throw NotDefinite(said.substr(1));
        throw InvalidArgument(said.substr(1));
    }
}

}  // namespace stiefel::amg
