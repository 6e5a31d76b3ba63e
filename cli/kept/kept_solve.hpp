#pragma once

#include "stiefel/cli/kept/kept_matrix_impl.hpp"

#include <fmt/format.h>

// Solves with a kept matrix as the program does them, and what is kept from one to the next.

namespace stiefel::cli {

/// What of the options decides on what is prepared, as text.
inline std::string words_of_preparation(const SolveOptions& o, Index width) {
    return fmt::format("{} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {}", static_cast<int>(o.preconditioner),
                       static_cast<int>(o.reorder), width, o.format, o.kernel, o.amg.block_size, o.amg.coarsening,
                       o.amg.smoother, o.amg.cycle, o.block_jacobi.size, o.fsai.power, o.fsai.threshold, o.fsai.drop,
                       o.ic.threshold, o.ic.fill, o.ic.level, o.ssor.omega);
}

template <class T, class B>
ChosenShared<T, B> KeptMatrixOn<T, B>::chosen_of(const KeptM& m) const {
    if (m.function) return from_function<T, B>(m.function);
    if (!m.kept) return {};
    const auto* const same = dynamic_cast<const KeptPreconditionerOn<T, B>*>(m.kept.get());
    const bool here = same != nullptr && (HostBackend<B> || &same->matrix() == this);
    require(here,
            "M: it was made from a matrix of another type or on another backend; make it from this operator: "
            "stiefel.preconditioner(NAME, OPERATOR)");
    require(same->matrix().n_rows() == n_rows(), "M: it has another number of rows than A");
    return same->chosen();
}

template <class T, class B>
void KeptMatrixOn<T, B>::check_symmetry_once(const std::string& name) {
    if (notes_) return;
    std::vector<std::string> notes;
    check_symmetric(maker(), *entries_, name, cg_needs, notes);
    notes_ = std::move(notes);
}

template <class T, class B>
std::shared_ptr<KeptPreconditioner> KeptMatrixOn<T, B>::preconditioner(const SolveOptions& options,
                                                                       DenseArray<double> coordinates) {
    const Lock lock(mutex_);
    const auto& entry = listed_preconditioner<B, T>(preconditioner_name(options.preconditioner));
    check_smoother<B>(options.amg);
    const std::shared_ptr<const Operator> a = operator_of(1);
    const Stopwatch watch;
    const auto prepared = entry.prepare(*backend_, *entries_,
                                        {.amg = amg_setup(options.amg, coordinates, entries_->n_rows),
                                         .block_jacobi = options.block_jacobi,
                                         .fsai = options.fsai,
                                         .ic = options.ic,
                                         .ssor = options.ssor});
    auto chosen = std::make_shared<ChosenPreconditioner<B, T>>(prepared(*backend_, *a, 1));
    return std::make_shared<KeptPreconditionerOn<T, B>>(this->shared_from_this(), entry.name, watch.seconds(),
                                                        std::move(coordinates), std::move(chosen));
}

template <class T, class B>
auto KeptMatrixOn<T, B>::prepared_for(const SolveOptions& options, KeptSystem& system, SolveReport& report,
                                      StatusLine& status) -> std::shared_ptr<Prepared> {
    const Index width = columns_at_once(options, system.n_columns);
    const std::string words = words_of_preparation(options, width);
    const ChosenShared<T, B> given = chosen_of(system.m), m = for_columns<T, B>(*backend_, given, width);
    const bool has_coordinates = !system.coordinates.values.empty();
    if (prepared_ && prepared_->words == words && prepared_->m == given && !has_coordinates) {
        report.method.reorder = prepared_->method.reorder;
        report.method.reorder_reason = prepared_->method.reorder_reason;
        return prepared_;
    }
    prepared_.reset();
    auto made = std::make_shared<Prepared>();
    made->words = words;
    made->m = given;
    SystemInput<T, typename B::memory> input{
        .a = shared_csr(*backend_, entries_),
        .rows = rows_,
        .couplings = wants_couplings(options, system) ? facts(true).couplings : std::nullopt,
        .n_columns = system.n_columns,
        .coordinates = std::move(system.coordinates)};
    const Stopwatch watch;
    if (!m) reorder(*backend_, host_, input, options, report);
    report.seconds.setup += watch.seconds();
    made->order = std::move(input.order);
    made->method = report.method;
    MadeBefore<T, B> before{.m = m};
    if (m) {
        const auto* const kept = dynamic_cast<const KeptPreconditionerOn<T, B>*>(system.m.kept.get());
        before.name_of_m = kept != nullptr ? kept->listed_name() : "given";
    }
    if (made->order.empty()) before.a = operator_of(width);
    made->system.emplace(*backend_, std::move(input), options, report, status, std::move(before));
    if (!has_coordinates) prepared_ = made;
    return made;
}

template <class T, class B>
KeptSolution KeptMatrixOn<T, B>::solve(const SolveOptions& options, KeptSystem system) {
    const std::scoped_lock lock(mutex_, mutex_of(system.m));
    KeptSolution solution;
    SolveReport& report = solution.report;
    StatusLine status(true);
    report.method = asked_method(options);
    report.backend = described(*backend_, host_);
    const Index n = entries_->n_rows;
    Stopwatch watch;
    check_symmetry_once(system.name);
    const PreconditionerChoice choice =
        check_diagonal(facts(wants_couplings(options, system)).diagonal, n, system.name, options.preconditioner);
    report.notes = *notes_;
    report.method.preconditioner = word_of<PreconditionerWord>(choice.word, preconditioner_choices());
    report.method.preconditioner_reason = choice.reason;
    report.method.max_iterations = options.max_iterations >= 0 ? options.max_iterations : default_max_iterations(n);
    report.seconds.setup += watch.seconds();
    report.seconds.convert += std::exchange(convert_seconds_, 0);

    const auto prepared = prepared_for(options, system, report, status);
    const Operator& a = prepared->system->a();
    report.matrix = {.path = system.name,
                     .n_rows = n,
                     .n_cols = n,
                     .nnz = entries_->nnz(),
                     .symmetry = "general",
                     .format = std::string(a.format()),
                     .bytes = a.bytes()};
    report.method.kernel = a.kernel();
    if (report.method.kernel_reason.empty()) report.method.kernel_reason = why_;
    if (!options.report.empty()) try_diagnosis(maker(), host_, *entries_, system.exponent, report);

    HostColumns<T> columns{.n = n, .k = system.n_columns, .matrix_norm = finite_or_zero(facts_->norm)};
    columns.b = HostVector<T>::lent(static_cast<T*>(system.b.data), system.b.size);
    if (system.guess.data != nullptr) {
        columns.guess = HostVector<T>::lent(static_cast<T*>(system.guess.data), system.guess.size);
    }
    if (!prepared->order.empty()) {
        columns.b = permuted(columns.b, prepared->order);
        columns.guess = permuted(columns.guess, prepared->order);
    }
    SolveOptions scaled = options;
    scaled.atol = std::ldexp(options.atol, -system.exponent);
    HostVector<T> x = prepared->system->solve(columns, scaled, report, status);
    if (!prepared->order.empty()) x = permuted_back(x, prepared->order);
    scale_norms(system.exponent, report);
    if (!options.report.empty()) try_rates_of_machine<T>(*backend_, options, report);
    report.peak_memory_bytes = peak_memory_bytes();
    auto kept = std::make_shared<HostVector<T>>(std::move(x));
    solution.x = kept->data();
    solution.size = kept->size();
    solution.owner = std::move(kept);
    return solution;
}

template <class T>
std::shared_ptr<KeptMatrix> keep_matrix(const LentCsr& a, const KeptChoice& choice) {
    const auto kept = [&]<class B>(std::unique_ptr<B> backend) -> std::shared_ptr<KeptMatrix> {
        return std::make_shared<KeptMatrixOn<T, B>>(std::move(backend), a, choice);
    };
    const BackendOptions& where = choice.backend;
#ifdef STIEFEL_HAS_CUDA
    const bool is_asked_for = where.choice == BackendChoice::cuda || where.device >= 0 || a.on_device;
    if (is_asked_for || (where.choice == BackendChoice::automatic && n_cuda_devices() > 0)) {
        const int device = std::max(where.device, 0);
        if (choice.stream == nullptr) return kept(std::make_unique<Cuda>(device));
        return kept(std::make_unique<Cuda>(device, static_cast<CUstream_st*>(choice.stream)));
    }
#endif
    if (where.choice == BackendChoice::cuda || where.device >= 0 || a.on_device) {
        throw DeviceError("this Stiefel was built without CUDA; --backend openmp runs on the cores of this machine");
    }
    if (where.choice == BackendChoice::serial) return kept(std::make_unique<Serial>());
    return kept(std::make_unique<OpenMP>(where.threads));
}

}  // namespace stiefel::cli
