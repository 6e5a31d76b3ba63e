#include "stiefel/world/mpi/mpi_mail.hpp"

#include "stiefel/world/mpi/mpi_count.hpp"

#include <mpi.h>

namespace stiefel {

namespace {

class MpiMail : public Mail {
public:
    explicit MpiMail(MPI_Comm ranks) : ranks_(ranks) {}
    ~MpiMail() override;
    MpiMail(const MpiMail&) = delete;
    MpiMail& operator=(const MpiMail&) = delete;

    std::size_t send(int to, int tag, const std::byte* data, Size bytes) override;
    std::size_t receive(int from, int tag, std::byte* data, Size room) override;
    const std::vector<Ended>& ended() override;

private:
    std::size_t free_place();

    MPI_Comm ranks_;
    std::vector<MPI_Request> open_;  // by number; null where there is none
    std::vector<std::size_t> free_;
    std::vector<int> indices_;
    std::vector<MPI_Status> statuses_;
    std::vector<Ended> ended_;
};

MpiMail::~MpiMail() {
    for (MPI_Request& request : open_) {
        if (request == MPI_REQUEST_NULL) continue;
        MPI_Cancel(&request);
        MPI_Request_free(&request);
    }
}

std::size_t MpiMail::free_place() {
    if (free_.empty()) {
        open_.push_back(MPI_REQUEST_NULL);
        return open_.size() - 1;
    }
    const std::size_t number = free_.back();
    free_.pop_back();
    return number;
}

std::size_t MpiMail::send(int to, int tag, const std::byte* data, Size bytes) {
    const int count = as_count(bytes);
    const std::size_t number = free_place();
    MPI_Isend(data, count, MPI_BYTE, to, tag, ranks_, &open_[number]);
    return number;
}

std::size_t MpiMail::receive(int from, int tag, std::byte* data, Size room) {
    const int count = as_count(room);
    const std::size_t number = free_place();
    MPI_Irecv(data, count, MPI_BYTE, from, tag, ranks_, &open_[number]);
    return number;
}

const std::vector<Mail::Ended>& MpiMail::ended() {
    for (const Ended& before : ended_) free_.push_back(before.number);
    ended_.clear();
    indices_.resize(open_.size());
    statuses_.resize(open_.size());
    int n = 0;
    MPI_Testsome(static_cast<int>(open_.size()), open_.data(), &n, indices_.data(), statuses_.data());
    if (n == MPI_UNDEFINED) return ended_;  // none is open
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
        int bytes = 0;
        MPI_Get_count(&statuses_[i], MPI_BYTE, &bytes);  // of what was sent it says nothing that is of use
        ended_.push_back({static_cast<std::size_t>(indices_[i]), Size{bytes}});
    }
    return ended_;
}

}  // namespace

std::unique_ptr<Mail> mpi_mail() {
    static MPI_Comm apart = MPI_COMM_NULL;  // goes with MPI
    if (apart == MPI_COMM_NULL) MPI_Comm_dup(MPI_COMM_WORLD, &apart);
    return std::make_unique<MpiMail>(apart);
}

}  // namespace stiefel
