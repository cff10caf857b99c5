// Times MPI_Allreduce, MPI_Bcast, … of float32. Built once with each MPI:
//   mpirun.openmpi -n 2 operations_openmpi allreduce BYTES
//   mpiexec.mpich -n 2 operations_mpich allreduce BYTES
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <stdexcept>

#include "measure.h"

namespace {

class MpiGroup : public peers::Group {
 public:
  MpiGroup() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }
  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return size_; }
  void barrier() override { MPI_Barrier(MPI_COMM_WORLD); }
  void run(peers::Operation operation, std::span<float> from, std::span<float> into, int root) override {
    const int count = static_cast<int>(std::min(from.size(), into.size()));
    switch (operation) {
      case peers::Operation::kAllreduce:
        MPI_Allreduce(MPI_IN_PLACE, into.data(), count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
        break;
      case peers::Operation::kBroadcast:
        MPI_Bcast(into.data(), count, MPI_FLOAT, root, MPI_COMM_WORLD);
        break;
      case peers::Operation::kAllGather:
        MPI_Allgather(from.data(), count, MPI_FLOAT, into.data(), count, MPI_FLOAT, MPI_COMM_WORLD);
        break;
      case peers::Operation::kReduceScatter:
        MPI_Reduce_scatter_block(from.data(), into.data(), count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
        break;
      case peers::Operation::kAllToAll:
        MPI_Alltoall(from.data(), count / size_, MPI_FLOAT, into.data(), count / size_, MPI_FLOAT,
                     MPI_COMM_WORLD);
        break;
      case peers::Operation::kPingPong:
        ping_pong(from, into);
        break;
    }
  }
  void greatest(std::span<double> values) override {
    MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_MAX,
                  MPI_COMM_WORLD);
  }

 private:
  void ping_pong(std::span<float> from, std::span<float> into) {
    const int peer = rank_ ^ 1;
    if (peer >= size_) return;
    if (rank_ < peer)
      MPI_Send(from.data(), static_cast<int>(from.size()), MPI_FLOAT, peer, 0, MPI_COMM_WORLD);
    MPI_Recv(into.data(), static_cast<int>(into.size()), MPI_FLOAT, peer, 0, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    if (rank_ > peer)
      MPI_Send(from.data(), static_cast<int>(from.size()), MPI_FLOAT, peer, 0, MPI_COMM_WORLD);
  }

  int rank_ = 0;
  int size_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  try {
    MpiGroup group;
    if (argc != 3) throw std::invalid_argument("say OPERATION BYTES");
    peers::measure(group, peers::parse_operation(argv[1]), peers::parse_bytes(argv[2]));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "operations_mpi: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
}
