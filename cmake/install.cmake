# cmake --install: the command, the library, the header, a pkg-config file and a CMake package.
include(CMakePackageConfigHelpers)
install(TARGETS cornerturn EXPORT cornerturn ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET ct_cli)
  install(TARGETS ct_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(FILES include/cornerturn.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
