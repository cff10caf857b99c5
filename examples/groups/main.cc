// Four workers as a mesh of two rows and two columns. Each sums up a number over its row, then over its
// column.
//
//   trireme launch -n 4 build/examples/groups
#include <trireme/trireme.h>

#include <cstdio>
#include <exception>
#include <vector>

int main(int argc, char** argv) try {
  constexpr trireme::Rank kColumns = 2;
  trireme::World world = trireme::join(argc, argv);
  trireme::Group row = world.split(world.rank() / kColumns);
  trireme::Group column = world.split(world.rank() % kColumns);

  std::vector<float> in_row = {static_cast<float>(1 + world.rank())};
  std::vector<float> in_column = in_row;
  row.sum(in_row);
  column.sum(in_column);

  std::printf("worker %d is number %d of %d in its row and %d of %d in its column: sums %g and %g\n",
              world.rank(), row.rank(), row.size(), column.rank(), column.size(), in_row[0], in_column[0]);
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
