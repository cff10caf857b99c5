// Times MPI_Allreduce of float32 sums in place. Built once with each MPI:
//   mpirun.openmpi -n 2 allreduce_openmpi BYTES
//   mpiexec.mpich -n 2 allreduce_mpich BYTES
#include <mpi.h>

#include <cstdio>
#include <exception>

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
  void sum(std::span<float> buffer) override {
    MPI_Allreduce(MPI_IN_PLACE, buffer.data(), static_cast<int>(buffer.size()), MPI_FLOAT, MPI_SUM,
                  MPI_COMM_WORLD);
  }
  void greatest(std::span<double> values) override {
    MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_MAX,
                  MPI_COMM_WORLD);
  }

 private:
  int rank_ = 0;
  int size_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  try {
    MpiGroup group;
    peers::measure(group, peers::parse_bytes(argc == 2 ? argv[1] : ""));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "allreduce_mpi: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
}
