# What `make install` installs, and `find_package(trireme)` finds.
#
# Nothing under the sanitizers: whoever links what they have compiled needs the same ones.
if(TRIREME_SANITIZE)
  return()
endif()

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
include(cmake/bundle.cmake)
set(program_folder ${CMAKE_INSTALL_LIBEXECDIR}/trireme)  # of programs that `trireme` starts
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/trireme)
add_custom_target(trireme_installed)  # builds all of it, and no more

# The first and the last thing to do: note what uninstalling has to remove.
set(folders ${CMAKE_INSTALL_BINDIR} ${program_folder} ${CMAKE_INSTALL_INCLUDEDIR}/trireme ${package_folder}
            share/trireme)
install(CODE "set(trireme_folders \"${folders}\")")
install(SCRIPT cmake/note_folders.cmake)

function(trireme_install_program program folder)
  install(TARGETS ${program} RUNTIME DESTINATION ${folder})
  # Libraries outside of the system's folders are found where they were at link time.
  set_target_properties(${program} PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
  add_dependencies(trireme_installed ${program})
endfunction()

# trireme::NAME, as NAMETargets.cmake of the package.
function(trireme_install_bundle name)
  set(bundle trireme_bundle_${name})
  install(TARGETS ${bundle} EXPORT ${bundle} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT ${bundle} NAMESPACE trireme:: FILE ${name}Targets.cmake DESTINATION ${package_folder})
  add_dependencies(trireme_installed ${bundle})
endfunction()

trireme_install_program(trireme ${CMAKE_INSTALL_BINDIR})
if(TARGET trireme-train)
  trireme_install_program(trireme-train ${program_folder})
endif()

trireme_bundle(trireme LAYERS base plan optim wire launch exec server api)
set_target_properties(trireme_bundle_trireme PROPERTIES OUTPUT_NAME trireme)
trireme_install_bundle(trireme)
if(TARGET trireme_train)
  set(with_torch ON)
  trireme_bundle(torch LAYERS data config train)
  set_target_properties(trireme_bundle_torch PROPERTIES OUTPUT_NAME trireme_torch)
  # The package makes trireme::libtorch of the libtorch that it finds.
  target_link_libraries(trireme_bundle_torch PUBLIC trireme_bundle_trireme $<INSTALL_INTERFACE:trireme::libtorch>)
  trireme_install_bundle(torch)
  install(DIRECTORY include/trireme DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
else()
  set(with_torch OFF)
  install(DIRECTORY include/trireme DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} PATTERN torch.h EXCLUDE)
endif()

configure_file(cmake/triremeConfig.cmake.in package/triremeConfig.cmake @ONLY)
write_basic_package_version_file(package/triremeConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(DIRECTORY ${PROJECT_BINARY_DIR}/package/ DESTINATION ${package_folder})

install(SCRIPT cmake/note_files.cmake)
