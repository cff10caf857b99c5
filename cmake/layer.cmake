# The headers that most tests include, compiled once for all tests.
if(BUILD_TESTING)
  file(CONFIGURE OUTPUT test_headers.cc CONTENT "")
  add_library(trireme_test_headers OBJECT ${CMAKE_CURRENT_BINARY_DIR}/test_headers.cc)
  target_link_libraries(trireme_test_headers PRIVATE trireme_flags trireme_test_flags fmt::fmt GTest::gtest GTest::gmock rapidcheck)
  target_precompile_headers(
    trireme_test_headers
    PRIVATE <gmock/gmock.h> <gtest/gtest.h> <rapidcheck/gtest.h>
            <fmt/format.h>
            <algorithm> <array> <atomic> <chrono> <cmath> <filesystem> <fstream> <functional> <map> <memory> <mutex>
            <numeric> <optional> <random> <set> <span> <sstream> <string> <string_view> <thread> <utility> <vector>)
endif()

if(TRIREME_BENCH)
  add_custom_target(benchmarks)  # what `make bench` builds and runs
endif()

# trireme_layer(NAME [LINKS library...] [WITHOUT source...] [ALONE source...]
#               [PRECOMPILES header...] [PRECOMPILES_LIKE layer] [TESTS_USE layer...]
#               [PURE] [COLD] [WAITS] [FUZZED] [SLOW_START] [TOGETHER])
#
# One folder of src/ with its subfolders: builds the library trireme_NAME from its sources, NAME_test from its
# *_test.cc and NAME_bench from its *_bench.cc. src/layers.txt says what it builds on. Sources under WITHOUT
# are left out, because they are built elsewhere. Sources and tests are compiled several at a time, except those
# under ALONE, which define names that others define too, and except in Debug builds, where a small change should
# compile quickly. Headers under PRECOMPILES are compiled once for the layer and its tests; PRECOMPILES_LIKE
# reuses those of another layer. TESTS_USE names further layers that the tests use. A PURE layer has no threads
# and never waits, so ThreadSanitizer does not run its tests. A COLD layer does nothing often, so it is optimized
# for compile time; so is one that WAITS for others most of the time, under the sanitizers. A FUZZED layer parses
# what the fuzzers make up. Each test has a process of its own, except where starting one takes longer than most
# tests: in a layer with a SLOW_START (libtorch's), and under the sanitizers in one that is PURE or whose tests
# also pass TOGETHER.
function(trireme_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 layer "PURE;COLD;WAITS;FUZZED;SLOW_START;TOGETHER" "PRECOMPILES_LIKE"
                        "LINKS;WITHOUT;ALONE;PRECOMPILES;TESTS_USE")
  set(folder ${PROJECT_SOURCE_DIR}/src/${name})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*.cc)
  file(GLOB_RECURSE tests CONFIGURE_DEPENDS ${folder}/*_test.cc)
  file(GLOB_RECURSE benches CONFIGURE_DEPENDS ${folder}/*_bench.cc)
  list(TRANSFORM layer_WITHOUT PREPEND ${folder}/)
  list(TRANSFORM layer_ALONE PREPEND ${folder}/)
  list(REMOVE_ITEM sources ${tests} ${benches} ${folder}/main.cc ${layer_WITHOUT})

  set(library trireme_${name})
  if(sources)
    add_library(${library} STATIC ${sources})
    target_link_libraries(${library} PRIVATE trireme_flags)
    if(layer_COLD OR (layer_WAITS AND TRIREME_SANITIZE))
      target_link_libraries(${library} PRIVATE trireme_cold_flags)
    endif()
    if(layer_FUZZED)
      target_link_libraries(${library} PRIVATE trireme_fuzzed_flags)
    endif()
    if(NOT CMAKE_BUILD_TYPE STREQUAL Debug)
      set_target_properties(${library} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
      set_source_files_properties(${layer_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
    if(layer_PRECOMPILES)
      target_precompile_headers(${library} PRIVATE ${layer_PRECOMPILES})
    elseif(layer_PRECOMPILES_LIKE)
      target_precompile_headers(${library} REUSE_FROM trireme_${layer_PRECOMPILES_LIKE})
    endif()
    set(scope PUBLIC)
  else()
    add_library(${library} INTERFACE)
    set(scope INTERFACE)
  endif()
  list(TRANSFORM trireme_uses_${name} PREPEND trireme_ OUTPUT_VARIABLE uses)
  list(TRANSFORM layer_TESTS_USE PREPEND trireme_)
  target_include_directories(${library} ${scope} ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(${library} ${scope} ${uses} ${layer_LINKS})
  target_compile_features(${library} ${scope} cxx_std_20)  # also for targets that link it

  if(layer_PURE AND TRIREME_SANITIZE STREQUAL thread)
    set(tests)
  endif()
  if(tests AND BUILD_TESTING)
    add_executable(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE trireme_flags ${library} ${layer_TESTS_USE} fmt::fmt
                          GTest::gtest_main GTest::gmock rapidcheck)
    if(layer_COLD)
      target_link_libraries(${name}_test PRIVATE trireme_cold_flags)
    endif()
    if(layer_PRECOMPILES)
      target_precompile_headers(${name}_test REUSE_FROM ${library})  # requires the library's flags
    elseif(layer_PRECOMPILES_LIKE)
      target_precompile_headers(${name}_test REUSE_FROM trireme_${layer_PRECOMPILES_LIKE})
    else()
      target_precompile_headers(${name}_test REUSE_FROM trireme_test_headers)
      target_link_libraries(${name}_test PRIVATE trireme_test_flags)
    endif()
    set_target_properties(${name}_test PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/test)
    if(NOT CMAKE_BUILD_TYPE STREQUAL Debug)
      set_target_properties(${name}_test PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 6)
    endif()
    # Properties try the same cases every time; RC_PARAMS= build/test/NAME_test tries others.
    set(environment RC_PARAMS=seed=1)
    if(layer_SLOW_START OR (TRIREME_SANITIZE AND (layer_PURE OR layer_TOGETHER)))
      # Every eighth test in one process; gtest deals them out.
      foreach(share RANGE 1 8)
        math(EXPR index "${share} - 1")
        add_test(NAME ${name}.${share}_of_8 COMMAND ${name}_test --gtest_brief=1 WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
        set_tests_properties(${name}.${share}_of_8 PROPERTIES TIMEOUT 600 COST 5
                             ENVIRONMENT "${environment};GTEST_TOTAL_SHARDS=8;GTEST_SHARD_INDEX=${index}")
      endforeach()
    else()
      gtest_discover_tests(
        ${name}_test
        TEST_PREFIX ${name}.
        WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
        DISCOVERY_TIMEOUT 60
        PROPERTIES TIMEOUT 300 ENVIRONMENT ${environment})
    endif()
  endif()

  if(benches AND TRIREME_BENCH)
    add_executable(${name}_bench EXCLUDE_FROM_ALL ${benches})
    add_dependencies(benchmarks ${name}_bench)
    target_link_libraries(${name}_bench PRIVATE trireme_flags ${library} benchmark::benchmark_main)
    set_target_properties(${name}_bench PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench)
  endif()
endfunction()
