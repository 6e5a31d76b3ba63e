#pragma once

#include "stiefel/world/mail.hpp"

#include <memory>

namespace stiefel {

/// Mail of the processes that mpirun has started, by a communicator of its own. All make theirs at once, where MPI
/// serves several threads (MPI_THREAD_MULTIPLE); one at a time.
std::unique_ptr<Mail> mpi_mail();

}  // namespace stiefel
