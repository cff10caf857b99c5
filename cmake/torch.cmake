# Finds libtorch: the target libtorch, or none. The layers `libtorch` and `trainer` see it.
#
# Under the sanitizers it is left out: libtorch and the BLAS are not built with them, and race and leak by
# themselves.
if(NOT TRIREME_SANITIZE)
  find_package(Torch QUIET)
endif()
if(TORCH_FOUND)
  message(STATUS "Training is built with libtorch ${Torch_VERSION} (${TORCH_LIBRARY})")
  add_library(libtorch INTERFACE)
  # libtorch 2 from PyTorch's own packages exports parts of an old C++ library, std::filesystem among them; ours comes
  # first, or they would be called with the types of another version.
  target_link_libraries(libtorch INTERFACE -Wl,--push-state,--no-as-needed -lstdc++ -Wl,--pop-state
                                                   ${TORCH_LIBRARIES})
  # libtorch 2 brings the headers of another fmt than the one that is linked.
  target_compile_definitions(libtorch INTERFACE FMT_HEADER_ONLY)
  target_include_directories(libtorch SYSTEM INTERFACE ${TORCH_INCLUDE_DIRS})
else()
  message(STATUS "No libtorch here: this build does without training (Debian: libtorch-dev)")
endif()
