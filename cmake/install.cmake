# Installs what `make install` installs and `find_package(trireme)` finds.
#
# Nothing is installed under the sanitizers: a program linked with such libraries needs the same sanitizers.
if(TRIREME_SANITIZE)
  return()
endif()

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
include(cmake/bundle.cmake)
set(program_folder ${CMAKE_INSTALL_LIBEXECDIR}/trireme)  # for programs that `trireme` starts
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/trireme)
set(module_folder ${CMAKE_INSTALL_LIBDIR}/trireme)  # for modules that are loaded when used
add_custom_target(trireme_installed)  # builds everything that is installed, and nothing else

# The first and the last step: record what uninstalling has to remove.
set(folders ${CMAKE_INSTALL_BINDIR} ${program_folder} ${CMAKE_INSTALL_INCLUDEDIR}/trireme ${package_folder}
            ${module_folder} ${CMAKE_INSTALL_LIBDIR}/pkgconfig share/trireme)
install(CODE "set(trireme_folders \"${folders}\")")
install(SCRIPT cmake/note_folders.cmake)

function(trireme_install_program program folder)
  install(TARGETS ${program} RUNTIME DESTINATION ${folder})
  # The MPI module, and libraries outside the system's folders, which are found where they were at link time.
  cmake_path(RELATIVE_PATH module_folder BASE_DIRECTORY ${folder} OUTPUT_VARIABLE way)
  set_target_properties(${program} PROPERTIES INSTALL_RPATH "$ORIGIN/${way}" INSTALL_RPATH_USE_LINK_PATH ON)
  add_dependencies(trireme_installed ${program})
endfunction()

# Installs trireme::NAME, as NAMETargets.cmake of the package.
function(trireme_install_bundle name)
  set(bundle trireme_bundle_${name})
  install(TARGETS ${bundle} EXPORT ${bundle} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT ${bundle} NAMESPACE trireme:: FILE ${name}Targets.cmake DESTINATION ${package_folder})
  add_dependencies(trireme_installed ${bundle})
endfunction()

trireme_install_program(trireme ${CMAKE_INSTALL_BINDIR})
if(TARGET trireme-train)
  trireme_install_program(trireme-train ${program_folder})
endif()

if(TARGET trireme_mpi)
  install(TARGETS trireme_mpi LIBRARY DESTINATION ${module_folder})
  add_dependencies(trireme_installed trireme_mpi)
endif()

trireme_bundle(trireme OUTPUT trireme LAYERS base plan optim wire exec world api)
trireme_install_bundle(trireme)
file(RELATIVE_PATH way_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/trireme.pc.in pkgconfig/trireme.pc @ONLY)
if(TARGET trireme_libtorch)
  set(with_torch ON)
  trireme_bundle(torch OUTPUT trireme_torch LAYERS checkpoint data rounds schedule server libtorch BASE trireme)
  # The package creates trireme::libtorch from the libtorch that it finds.
  target_link_libraries(trireme_bundle_torch PUBLIC $<INSTALL_INTERFACE:trireme::libtorch>)
  trireme_install_bundle(torch)
  install(DIRECTORY include/trireme DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  set(base_library)
  if(NOT BUILD_SHARED_LIBS)
    set(base_library "-ltrireme ")
  endif()
  # The compiler looks into its own folders in an order that must not change.
  set(torch_includes ${TORCH_INCLUDE_DIRS})
  list(REMOVE_ITEM torch_includes ${CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES})
  list(TRANSFORM torch_includes PREPEND "-isystem ")
  list(JOIN torch_includes " " torch_includes)
  configure_file(cmake/trireme_torch.pc.in pkgconfig/trireme_torch.pc @ONLY)
else()
  set(with_torch OFF)
  install(DIRECTORY include/trireme DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} PATTERN torch.h EXCLUDE
          PATTERN checkpoint.h EXCLUDE)
endif()
install(DIRECTORY ${PROJECT_BINARY_DIR}/pkgconfig/ DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

configure_file(cmake/triremeConfig.cmake.in package/triremeConfig.cmake @ONLY)
write_basic_package_version_file(package/triremeConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(DIRECTORY ${PROJECT_BINARY_DIR}/package/ DESTINATION ${package_folder})

install(SCRIPT cmake/note_files.cmake)
