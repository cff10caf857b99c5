// Joins a job, waits until all others have joined, and prints that: only a start.
#include <trireme/trireme.h>

#include <cstdio>
#include <exception>

int main(int argc, char** argv) try {
  trireme::World world = trireme::join(argc, argv);
  world.barrier();
  std::puts("started");
  std::fflush(stdout);
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
