#include "exec/kernels/element_type.h"

#include <array>

namespace trireme::exec {
namespace {

struct Traits {
  std::string_view name;
  std::int64_t size;
  bool integer;
};

constexpr std::array<ElementType, 8> kTypes = {
    ElementType::kFloat32, ElementType::kFloat64,  ElementType::kInt32, ElementType::kInt64,
    ElementType::kFloat16, ElementType::kBFloat16, ElementType::kInt8,  ElementType::kUint8};

// In the order of the enum.
constexpr std::array<Traits, kTypes.size()> kTraits = {{{"float32", 4, false},
                                                        {"float64", 8, false},
                                                        {"int32", 4, true},
                                                        {"int64", 8, true},
                                                        {"float16", 2, false},
                                                        {"bfloat16", 2, false},
                                                        {"int8", 1, true},
                                                        {"uint8", 1, true}}};

const Traits& traits(ElementType type) { return kTraits[static_cast<std::size_t>(type)]; }

}  // namespace

std::int64_t size_of(ElementType type) { return traits(type).size; }

std::string_view name(ElementType type) { return traits(type).name; }

std::optional<ElementType> find_element_type(std::string_view name) {
  for (const ElementType type : kTypes) {
    if (traits(type).name == name) return type;
  }
  return std::nullopt;
}

std::span<const ElementType> all_element_types() { return kTypes; }

bool is_integer(ElementType type) { return traits(type).integer; }

bool is_16_bit(ElementType type) { return traits(type).size == 2; }

}  // namespace trireme::exec
