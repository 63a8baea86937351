# cmake --install: the command, the library (shared, and an archive of the same objects), the headers,
# the pages, a pkg-config file and a CMake package.
# Programs use it as find_package(cornerturn) and cornerturn::cornerturn, or `pkg-config cornerturn`:
# both mean the shared one. tests/install/install_test.sh builds one both ways.
include(CMakePackageConfigHelpers)

set(ct_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/cornerturn)
install(TARGETS cornerturn ct_inside
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET ct_cli)
  install(TARGETS ct_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(FILES include/cornerturn.h include/cornerturn_stage.h include/cornerturn_tune.h
              include/cornerturn_ranks.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES docs/cornerturn.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES cli/completion.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
        RENAME cornerturn)

# The pages, and all that they link to, as in the source tree, so that links stay whole: only commands
# become those of who has no source tree (cmake/pages.cmake).
set(ct_pages ${CMAKE_INSTALL_DOCDIR})
install(FILES LICENSE README.md CHANGELOG.md CONTRIBUTING.md CITATION.cff DESTINATION ${ct_pages})
install(DIRECTORY docs DESTINATION ${ct_pages})
install(DIRECTORY stages io DESTINATION ${ct_pages} FILES_MATCHING PATTERN "README.md")
install(DIRECTORY bench DESTINATION ${ct_pages}
        FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "experiments/*.sh" PATTERN "builds.sh"
        PATTERN "experiments/*.json" PATTERN "results/experiments/*.json" EXCLUDE
        PATTERN "peers" EXCLUDE)
install(DIRECTORY examples DESTINATION ${ct_pages}
        FILES_MATCHING PATTERN "*.json" PATTERN "*.[ch]" PATTERN "*.cl" PATTERN "CMakeLists.txt"
        PATTERN "README.md" PATTERN "gains.npy" PATTERN "data/*" EXCLUDE)
# For PYTHONPATH; nothing else needs Python (docs/python.md).
install(DIRECTORY python/cornerturn DESTINATION ${CMAKE_INSTALL_DATADIR}/cornerturn/python
        FILES_MATCHING PATTERN "*.py")
install(CODE "set(ct_pages \"${ct_pages}\")")
install(SCRIPT cmake/pages.cmake)

# What the library needs of others: a program that links the archive names them (pkg-config --static).
set(ct_requires OpenCL jansson libmd)
set(ct_libs -lm -ldl -pthread)
if(FFTW_FOUND AND CT_FFTW)
  list(APPEND ct_requires fftw3f)
  list(PREPEND ct_libs -lfftw3f_threads)
endif()
if(ERFA_FOUND)
  list(APPEND ct_requires erfa)
endif()
if(CLFFT_FOUND)
  list(APPEND ct_requires clFFT)
endif()
if(HDF5_FOUND)
  list(APPEND ct_requires ${HDF5_MODULE_NAME})
endif()
if(CFITSIO_FOUND)
  list(PREPEND ct_libs -lcfitsio) # its own needs are the shared one's
endif()
if(ZSTD_FOUND)
  list(APPEND ct_requires libzstd)
endif()
list(JOIN ct_requires " " ct_requires)
list(JOIN ct_libs " " ct_libs)

# The installed files find each other, wherever the prefix is moved.
file(RELATIVE_PATH ct_prefix_from_pc /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)

configure_file(cmake/cornerturn.pc.in ${PROJECT_BINARY_DIR}/cornerturn.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/cornerturn.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

get_target_property(ct_soversion cornerturn SOVERSION)
configure_package_config_file(cmake/cornerturn-config.cmake.in
  ${PROJECT_BINARY_DIR}/cornerturn-config.cmake INSTALL_DESTINATION ${ct_cmake_dir}
  PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cornerturn-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cornerturn-config.cmake
              ${PROJECT_BINARY_DIR}/cornerturn-config-version.cmake cmake/embed.cmake
        DESTINATION ${ct_cmake_dir})
