# Run by cmake --install, once the pages are in place: their commands are written for the source tree,
# where they are tested, with the command in build/ and prefixes of their own. Who reads the installed
# ones has the command on the path and Cornerturn where CMake and pkg-config find it.
set(ct_where "${ct_pages}")
if(NOT IS_ABSOLUTE "${ct_pages}")
  set(ct_where "$(dirname $(command -v cornerturn))/../${ct_pages}") # wherever a package is unpacked
  set(ct_pages "${CMAKE_INSTALL_PREFIX}/${ct_pages}")
endif()
file(GLOB_RECURSE pages "$ENV{DESTDIR}${ct_pages}/*.md")
list(FILTER pages EXCLUDE REGEX "CONTRIBUTING\\.md$")
foreach(page IN LISTS pages)
  file(READ "${page}" text)
  set(was "${text}")
  set(prefix "cmake --install build --prefix [a-z/]+\n")
  string(REGEX REPLACE "\n```sh\n${prefix}```\n" "" text "${text}")
  string(REGEX REPLACE "\n${prefix}" "\n" text "${text}")
  string(REGEX REPLACE " -DCMAKE_PREFIX_PATH=\\$PWD/[a-z/]*prefix" "" text "${text}")
  string(REGEX REPLACE "PKG_CONFIG_PATH=[a-z/]+ pkg-config" "pkg-config" text "${text}")
  string(REGEX REPLACE "[a-z./]*(build|prefix/bin)/cornerturn" "cornerturn" text "${text}")
  string(REPLACE "the source tree's root"
    "a folder of your own, with a copy of the examples (`cp -r ${ct_where}/examples ${ct_where}/bench .`)" text "${text}")
  if(NOT text STREQUAL was)
    file(WRITE "${page}" "${text}")
  endif()
endforeach()
