# Run by `cmake --install` before any file is copied: records which of the folders do not exist yet.
# trireme_folders: the folders below the prefix in which files may be installed.
set(trireme_prefix "${CMAKE_INSTALL_PREFIX}")
cmake_path(ABSOLUTE_PATH trireme_prefix)
set(trireme_root "$ENV{DESTDIR}${trireme_prefix}")
set(trireme_missing)
foreach(folder IN LISTS trireme_folders)
  set(path "${trireme_root}/${folder}")
  while(NOT EXISTS "${path}")
    list(APPEND trireme_missing "${path}")
    cmake_path(GET path PARENT_PATH path)
  endwhile()
endforeach()
