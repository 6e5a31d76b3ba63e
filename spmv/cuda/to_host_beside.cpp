#include "stiefel/spmv/cuda/to_host_beside.hpp"

#include "stiefel/core/cuda/check.hpp"

#include <utility>

namespace stiefel {

namespace {

class OwnStream {
public:
    explicit OwnStream(const Cuda& backend) {
        backend.make_current();
        check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "creating a stream");
    }
    OwnStream(const OwnStream&) = delete;
    OwnStream& operator=(const OwnStream&) = delete;
    ~OwnStream() { static_cast<void>(cudaStreamDestroy(stream_)); }

    template <class S>
    HostVector<S> copy(const S* from, Size n) const {
        HostVector<S> to(n);
        check_cuda(
            cudaMemcpyAsync(to.data(), from, static_cast<std::size_t>(to.bytes()), cudaMemcpyDeviceToHost, stream_),
            "copying to the host");
        return to;
    }
    void wait() const { check_cuda(cudaStreamSynchronize(stream_), "copying to the host"); }

private:
    cudaStream_t stream_ = nullptr;
};

}  // namespace

template <class T>
HostCsr<T> to_host_beside(const Cuda& backend, const DeviceCsr<T>& a) {
    const OwnStream stream(backend);
    HostCsr<T> here;
    here.n_rows = a.n_rows;
    here.n_cols = a.n_cols;
    here.row_ptr = a.row_ptr.visit(
        [&](const auto* row_ptr) { return RowOffsets<HostMemory>(stream.copy(row_ptr, a.row_ptr.size())); });
    here.col_idx = stream.copy(a.col_idx.data(), a.col_idx.size());
    here.values = stream.copy(a.values.data(), a.values.size());
    stream.wait();
    return here;
}

template HostCsr<double> to_host_beside(const Cuda&, const DeviceCsr<double>&);
template HostCsr<float> to_host_beside(const Cuda&, const DeviceCsr<float>&);

}  // namespace stiefel
