// Every worker contributes a list of numbers; afterwards each holds the average of all lists.
//
//   trireme launch -n 4 build/examples/average
#include <trireme/trireme.h>

#include <cstdio>
#include <exception>

int main(int argc, char** argv) try {
  trireme::World world = trireme::join(argc, argv);

  trireme::Buffer<float> numbers = world.buffer<float>(6);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = static_cast<float>(10 * world.rank()) + static_cast<float>(i);
  }
  world.average(numbers);

  std::printf("rank %d of %d holds", world.rank(), world.size());
  for (const float number : numbers) std::printf(" %g", number);
  std::printf("\n");
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
