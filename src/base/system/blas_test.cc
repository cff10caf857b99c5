#include "base/system/blas.h"

#include <gtest/gtest.h>

namespace trireme {
namespace {

TEST(Blas, IsNamedByItsFile) {
  EXPECT_EQ(name_blas("/usr/lib/x86_64-linux-gnu/openblas-openmp/libblas.so.3").name, "OpenBLAS with OpenMP");
  EXPECT_EQ(name_blas("/usr/lib64/libopenblasp-r0.3.21.so").name, "OpenBLAS with pthreads");
  EXPECT_TRUE(name_blas("/opt/intel/mkl/lib/libmkl_intel_lp64.so.2").fast);
}

TEST(Blas, ThatNobodyKnowsIsTheSlowOne) {
  const Blas blas = name_blas("/usr/lib/x86_64-linux-gnu/blas/libblas.so.3.11.0");
  EXPECT_EQ(blas.name, "the reference BLAS");
  EXPECT_FALSE(blas.fast);
}

TEST(Blas, IsFoundAmongWhatAProcessHasLoaded) {
  constexpr const char* kMaps =
      "55d0-55d1 r--p 00000000 fe:01 1     /work/openblas/program\n"
      "7f00-7f01 rw-p 00000000 00:00 0\n"
      "7f01-7f02 r-xp 00001000 fe:01 2                          /usr/lib/openblas-openmp/libblas.so.3\n"
      "7f02-7f03 r-xp 00001000 fe:01 3                          /usr/lib/openblas-openmp/liblapack.so.3\n";
  const std::optional<Blas> blas = loaded_blas(kMaps);
  ASSERT_TRUE(blas);
  EXPECT_EQ(blas->path, "/usr/lib/openblas-openmp/libblas.so.3");
}

TEST(Blas, IsNotTheOneThatLapackBringsAlong) {
  constexpr const char* kMaps =
      "7f01-7f02 r-xp 00001000 fe:01 2   /usr/lib/openblas-openmp/libopenblaso-r0.3.21.so\n"
      "7f02-7f03 r-xp 00001000 fe:01 3   /usr/lib/blas/libblas.so.3.11.0\n";
  EXPECT_EQ(loaded_blas(kMaps)->name, "the reference BLAS");
}

TEST(Blas, MayBePartOfLibtorch) {
  EXPECT_FALSE(loaded_blas("7f01-7f02 r-xp 00001000 fe:01 2   /opt/libtorch/lib/libtorch_cpu.so\n"));
}

}  // namespace
}  // namespace trireme
