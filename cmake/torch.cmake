# Finds libtorch: the target libtorch, or none. Only the layers `libtorch` and `trainer` use it.
#
# It is left out under the sanitizers: libtorch and the BLAS are not built with them, and have races and leaks
# of their own.
if(NOT TRIREME_SANITIZE)
  find_package(Torch QUIET)
endif()
if(TORCH_FOUND)
  message(STATUS "Training is built with libtorch ${Torch_VERSION} (${TORCH_LIBRARY})")
  add_library(libtorch INTERFACE)
  # libtorch 2 from PyTorch's own packages exports parts of an old C++ library, std::filesystem among them.
  # Ours is linked first; otherwise the old functions would be called with types of another version.
  target_link_libraries(libtorch INTERFACE -Wl,--push-state,--no-as-needed -lstdc++ -Wl,--pop-state
                                                   ${TORCH_LIBRARIES})
  # libtorch 2 brings the headers of an fmt version other than the linked one.
  target_compile_definitions(libtorch INTERFACE FMT_HEADER_ONLY)
  target_include_directories(libtorch SYSTEM INTERFACE ${TORCH_INCLUDE_DIRS})
else()
  message(STATUS "No libtorch here: this build does without training (Debian: libtorch-dev)")
endif()
