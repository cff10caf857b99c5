# Run by `cmake --install` after all files are copied: records what tools/uninstall removes, one path below
# the prefix per line; folders end with a slash.
set(record "${trireme_root}/share/trireme/installed")
file(MAKE_DIRECTORY "${trireme_root}/share/trireme")  # one of the recorded folders
set(lines share/trireme/installed)
if(EXISTS "${record}")
  # The record of an earlier installation, which this one overwrites.
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
