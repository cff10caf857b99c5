// Tensors as arguments of a group's operations.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <trireme/torch.h>

#include <functional>
#include <string>

#include "api/world_test_util.h"
#include "libtorch/worlds_test_util.h"

namespace trireme::libtorch {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr torch::ScalarType kTypes[] = {torch::kFloat, torch::kDouble, torch::kHalf, torch::kBFloat16,
                                        torch::kChar,  torch::kInt,    torch::kLong, torch::kByte};

void on_pair(const std::function<void(World&)>& body) { on_workers(exec::Fabric::kThreads, 2, body); }

// 0, 1, 2, … on rank 0 and 1, 2, 3, … on rank 1, of this shape.
torch::Tensor numbers_of(Rank rank, at::IntArrayRef shape, torch::ScalarType type = torch::kFloat) {
  const std::int64_t count = c10::multiply_integers(shape);
  return (torch::arange(count, torch::kLong) + rank).reshape(shape).to(type);
}

// What the sum over both is.
torch::Tensor sums(at::IntArrayRef shape, torch::ScalarType type = torch::kFloat) {
  return (numbers_of(0, shape, torch::kLong) * 2 + 1).to(type);
}

std::string refusal(const torch::Tensor& tensor) {
  std::string words;
  on_workers(exec::Fabric::kThreads, 1, [&](World& world) { words = thrown_by([&] { world.sum(tensor); }); });
  return words;
}

TEST(Tensors, OfEveryTypeAreSummedUpInPlace) {
  for (const torch::ScalarType type : kTypes) {
    on_pair([&](World& world) {
      torch::Tensor tensor = numbers_of(world.rank(), {3, 5}, type);
      const void* place = tensor.data_ptr();
      world.sum(tensor);
      EXPECT_TRUE(tensor.equal(sums({3, 5}, type))) << type << tensor;
      EXPECT_EQ(tensor.data_ptr(), place) << type;
    });
  }
}

TEST(Tensors, HaveAllReductions) {
  on_pair([](World& world) {
    const torch::Tensor numbers = numbers_of(world.rank(), {4}).set_requires_grad(false);
    const auto result = [&](auto reduce) {
      torch::Tensor tensor = numbers.clone();
      reduce(tensor);
      return tensor;
    };
    const torch::Tensor low = numbers_of(0, {4});
    const torch::Tensor high = numbers_of(1, {4});
    EXPECT_TRUE(result([&](auto& tensor) { world.average(tensor); }).equal((low + high) / 2));
    EXPECT_TRUE(result([&](auto& tensor) { world.product(tensor, "ring"); }).equal(low * high));
    EXPECT_TRUE(result([&](auto& tensor) { world.min(tensor); }).equal(low));
    EXPECT_TRUE(result([&](auto& tensor) { world.max(tensor); }).equal(high));
  });
}

TEST(Tensors, ThatAreViewsTakeTheResultAndLeaveTheRestAlone) {
  const auto view_of = [](const torch::Tensor& tensor, int which) {
    switch (which) {
      case 0:
        return tensor.t();
      case 1:
        return tensor.slice(0, 1, 3);  // contiguous
      case 2:
        return tensor.select(1, 2);  // a column
      default:
        return tensor.slice(1, 0, 5, 2).slice(0, 1);
    }
  };
  for (int which = 0; which < 4; ++which) {
    on_pair([&](World& world) {
      const torch::Tensor tensor = numbers_of(world.rank(), {4, 5});
      torch::Tensor expected = tensor.clone();
      view_of(expected, which).copy_(view_of(sums({4, 5}), which));
      world.sum(view_of(tensor, which));
      EXPECT_TRUE(tensor.equal(expected)) << which << tensor;
    });
  }
}

TEST(Tensors, OfNoDimensionOrNoNumbersAreFine) {
  on_pair([](World& world) {
    const torch::Tensor one = torch::tensor(static_cast<double>(1 + world.rank()));
    world.sum(one);
    EXPECT_EQ(one.dim(), 0);
    EXPECT_EQ(one.item<double>(), 3);
    const torch::Tensor none = torch::empty({3, 0});
    world.sum(none);
    EXPECT_EQ(none.numel(), 0);
  });
}

TEST(Tensors, ThatRequireAGradientStayLeaves) {
  on_pair([](World& world) {
    for (const bool transposed : {false, true}) {
      torch::Tensor leaf = numbers_of(world.rank(), {2, 3});
      if (transposed) leaf = leaf.t();
      leaf.requires_grad_();
      const torch::Tensor expected = transposed ? sums({2, 3}).t() : sums({2, 3});
      world.sum(leaf);
      EXPECT_TRUE(leaf.equal(expected));
      EXPECT_TRUE(leaf.is_leaf() && leaf.requires_grad());
    }
  });
}

TEST(Tensors, MayBeConstantOrTemporary) {
  on_pair([](World& world) {
    const torch::Tensor tensor = numbers_of(world.rank(), {6}).requires_grad_();
    world.sum(tensor.detach());
    EXPECT_TRUE(tensor.equal(sums({6})));
    world.max(tensor);
    EXPECT_TRUE(tensor.equal(sums({6})));
  });
}

TEST(Tensors, AreTakenByTheirNumbersWhereMemoryHoldsTheNegative) {
  on_pair([](World& world) {
    const torch::Tensor pairs = torch::tensor({1.0, 2.0 + world.rank(), 3.0, 4.0}).reshape({2, 2});
    const torch::Tensor negative = torch::imag(torch::view_as_complex(pairs).conj()).narrow(0, 0, 1);
    ASSERT_TRUE(negative.is_neg() && negative.is_contiguous());
    world.max(negative);
    EXPECT_EQ(negative.item<double>(), -2);
    EXPECT_TRUE(pairs.equal(torch::tensor({1.0, 2.0, 3.0, 4.0}).reshape({2, 2}))) << pairs;
  });
}

TEST(Tensors, ThatABackwardNeedsAreNotChangedBehindItsBack) {
  on_pair([](World& world) {
    const torch::Tensor weight = torch::ones({3}).requires_grad_();
    const torch::Tensor input = numbers_of(world.rank(), {3});
    const torch::Tensor loss = (weight * input).sum();
    world.sum(input);
    EXPECT_THROW(loss.backward(), c10::Error);
  });
}

TEST(Tensors, OnAnotherDeviceTakeTheResult) {
  if (!torch::cuda::is_available()) GTEST_SKIP() << "no GPU here";
  on_pair([](World& world) {
    const torch::Tensor tensor = numbers_of(world.rank(), {4, 5}).to(torch::kCUDA);
    world.sum(tensor);
    world.sum(tensor.t());
    EXPECT_TRUE(tensor.cpu().equal(2 * sums({4, 5})));
  });
}

TEST(Tensors, OfOtherTypesAreRefused) {
  const torch::Tensor ones = torch::ones({3});
  EXPECT_THAT(refusal(ones.to(torch::kBool)),
              AllOf(HasSubstr("a tensor of Bool"), HasSubstr("torch::kByte")));
  EXPECT_THAT(refusal(ones.to(torch::kShort)),
              AllOf(HasSubstr("a tensor of Short"), HasSubstr("torch::kInt")));
  EXPECT_THAT(refusal(ones.to(torch::kComplexFloat)),
              AllOf(HasSubstr("a tensor of ComplexFloat"), HasSubstr("torch::view_as_real")));
  EXPECT_THAT(refusal(torch::quantize_per_tensor(ones, 0.5, 0, torch::kQInt8)),
              AllOf(HasSubstr("a tensor of QInt8"), HasSubstr("int_repr")));
}

TEST(Tensors, WithoutNumbersInOnePieceAreRefused) {
  EXPECT_THAT(refusal(torch::Tensor()), HasSubstr("a tensor that is not defined"));
  EXPECT_THAT(refusal(torch::ones({3, 3}).to_sparse()), AllOf(HasSubstr("Sparse"), HasSubstr("to_dense")));
  EXPECT_THAT(refusal(torch::ones({3}, torch::kMeta)), HasSubstr("on the device meta"));
}

TEST(Tensors, ThatCannotHoldAResultAreRefused) {
  EXPECT_THAT(refusal(torch::ones({1, 3}).expand({4, 3})),
              AllOf(HasSubstr("one in memory"), HasSubstr("clone")));
  torch::Tensor inference;
  {
    const c10::InferenceMode mode;
    inference = torch::ones({3});
  }
  EXPECT_THAT(refusal(inference), HasSubstr("inference mode"));
}

TEST(Tensors, OfIntegersHaveNoAverage) {
  on_pair([](World& world) {
    torch::Tensor tensor = torch::ones({3}, torch::kLong);
    EXPECT_THAT(thrown_by([&] { world.average(tensor); }), HasSubstr("integers have sums but no averages"));
  });
}

}  // namespace
}  // namespace trireme::libtorch
