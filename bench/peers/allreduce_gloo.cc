// Times gloo::allreduce of float32 sums in place, over TCP on the loopback interface: allreduce_gloo RANKS
// BYTES
// It starts its own ranks, because Gloo has no launcher; they meet through files in a temporary folder.
#include <gloo/allreduce.h>
#include <gloo/barrier.h>
#include <gloo/math.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/file_store.h>
#include <gloo/transport/tcp/device.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "measure.h"

namespace {

class GlooGroup : public peers::Group {
 public:
  GlooGroup(int rank, int size, const std::string& meeting_place)
      : context_(std::make_shared<gloo::rendezvous::Context>(rank, size)) {
    gloo::transport::tcp::attr loopback;
    loopback.hostname = "127.0.0.1";
    auto device = gloo::transport::tcp::CreateDevice(loopback);
    gloo::rendezvous::FileStore store(meeting_place);
    context_->connectFullMesh(store, device);
  }
  [[nodiscard]] int rank() const override { return context_->rank; }
  [[nodiscard]] int size() const override { return context_->size; }
  void barrier() override {
    gloo::BarrierOptions options(context_);
    gloo::barrier(options);
  }
  void run(peers::Operation /*allreduce*/, std::span<float> /*from*/, std::span<float> into,
           int /*root*/) override {
    all_reduce(into, [](void* into, const void* a, const void* b, std::size_t count) {
      gloo::sum<float>(into, a, b, count);
    });
  }
  void greatest(std::span<double> values) override {
    all_reduce(values, [](void* into, const void* a, const void* b, std::size_t count) {
      gloo::max<double>(into, a, b, count);
    });
  }

 private:
  template <typename T>
  void all_reduce(std::span<T> buffer, gloo::AllreduceOptions::Func reduce) {
    gloo::AllreduceOptions options(context_);
    options.setOutput(buffer.data(), buffer.size());
    options.setReduceFunction(std::move(reduce));
    gloo::allreduce(options);
  }

  std::shared_ptr<gloo::rendezvous::Context> context_;
};

class TemporaryFolder {
 public:
  TemporaryFolder() : path_((std::filesystem::temp_directory_path() / "allreduce_gloo.XXXXXX").string()) {
    if (mkdtemp(path_.data()) == nullptr) throw std::runtime_error("cannot make the folder " + path_);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

int run_rank(int rank, int ranks, std::size_t bytes, const std::string& meeting_place) {
  try {
    GlooGroup group(rank, ranks, meeting_place);
    peers::measure(group, peers::Operation::kAllreduce, bytes);
    group.barrier();  // no rank leaves while another still waits for its last bytes
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "allreduce_gloo: rank %d: %s\n", rank, error.what());
    return 1;
  }
}

// Returns the number of ranks that failed. Each rank has its own deadlines, so waiting for them ends.
int run_all(int ranks, std::size_t bytes) {
  const TemporaryFolder meeting_place;
  std::vector<pid_t> children;
  for (int rank = 0; rank < ranks; ++rank) {
    const pid_t child = fork();
    if (child == 0) _exit(run_rank(rank, ranks, bytes, meeting_place.path()));
    if (child < 0) throw std::runtime_error("cannot start a process");
    children.push_back(child);
  }
  int failed = 0;
  for (const pid_t child : children) {
    int status = 0;
    if (waitpid(child, &status, 0) != child || status != 0) ++failed;
  }
  return failed;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const int ranks = argc == 3 ? std::atoi(argv[1]) : 0;
    if (ranks < 1) throw std::invalid_argument("say allreduce_gloo RANKS BYTES");
    return run_all(ranks, peers::parse_bytes(argv[2])) == 0 ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "allreduce_gloo: %s\n", error.what());
    return 1;
  }
}
