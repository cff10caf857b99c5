# Run by `cmake --install` after everything is copied: writes down what tools/uninstall removes, one path from
# the prefix per line; folders end with a slash.
set(record "${trireme_root}/share/trireme/installed")
file(MAKE_DIRECTORY "${trireme_root}/share/trireme")  # one of the folders to note
set(lines share/trireme/installed)
if(EXISTS "${record}")
  # Of an earlier time, over which this one is installed.
  file(STRINGS "${record}" earlier)
  list(APPEND lines ${earlier})
endif()
foreach(file IN LISTS CMAKE_INSTALL_MANIFEST_FILES)
  cmake_path(RELATIVE_PATH file BASE_DIRECTORY "${trireme_prefix}")
  list(APPEND lines "${file}")
endforeach()
foreach(folder IN LISTS trireme_missing)
  if(EXISTS "${folder}")
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY "${trireme_root}")
    list(APPEND lines "${folder}/")
  endif()
endforeach()
list(REMOVE_DUPLICATES lines)
list(JOIN lines "\n" text)
file(WRITE "${record}" "${text}\n")
