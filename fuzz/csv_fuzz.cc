// Any bytes as a csv file, after a first byte that chooses the column of the label, its kind and the header:
// the file becomes finite numbers with right labels, or is refused with an `Error`.
#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/system/fd.h"
#include "data/csv_file.h"

namespace trireme {
namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

void require_right(const data::Dataset& train) {
  require(train.samples > 0 && static_cast<std::size_t>(train.samples) == train.labels.size());
  require(train.values.size() == train.samples * train.sample_size() && train.sample_size() > 0);
  std::vector<double> numbers(static_cast<std::size_t>(train.values.size()));
  train.values.read(0, numbers);
  for (const double number : numbers) require(std::isfinite(number));
  for (const double label : train.labels) {
    require(std::isfinite(label));
    require(train.classes == 0 || (label >= 0 && label < static_cast<double>(train.classes)));
  }
}

void try_csv(std::uint8_t choice, std::span<const std::uint8_t> bytes) {
  const Fd file(::memfd_create("fuzz", 0));
  require(file && write_all(file.get(), {reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
  data::CsvSpec spec;
  spec.path = "/proc/self/fd/" + std::to_string(file.get());
  spec.label = (choice & 4) != 0 ? "kind" : std::to_string(1 + (choice & 3));
  spec.header = static_cast<data::CsvHeader>((choice >> 3) % 3);
  spec.labels.is_number = (choice & 128) != 0;
  try {
    require_right(data::load_csv(spec).train);
  } catch (const Error& error) {
    require(error.failure().cause == Failure::Cause::kBadInput && !error.failure().hint.empty());
  }
}

}  // namespace
}  // namespace trireme

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 0) trireme::try_csv(data[0], {data + 1, size - 1});
  return 0;
}
