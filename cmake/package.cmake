# cpack: a .tar.gz, and where dpkg is, .deb packages for the system that it runs on (libraries have other names on each).
# cornerturn is the command, the library, headers and pages; what calls MPI, casacore and PSRDADA are packages of their own, so that
# nobody installs these who does not need them. The .tar.gz has all of it. scripts/package.sh makes them.
set(CPACK_PACKAGE_NAME cornerturn)
set(CPACK_PACKAGE_VENDOR "The Cornerturn developers")
set(CPACK_PACKAGE_CONTACT "The Cornerturn developers <maintainers@cornerturn.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DESCRIPTION
    "Filter bank, beam former, correlator, detection, dedispersion and search for pulses, in one pipeline that is a
short JSON file. Every stage reads and writes its arrays in any order of their dimensions; the tuner finds the
orders and kernels with which the whole pipeline is fastest on a device.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_THREADS 0)

# "debian12": whose libraries these programs want.
set(ct_system ${CMAKE_SYSTEM_NAME})
if(EXISTS /etc/os-release)
  file(STRINGS /etc/os-release ct_release REGEX "^(ID|VERSION_ID)=")
  list(SORT ct_release)
  list(TRANSFORM ct_release REPLACE "^[A-Z_]*=\"?([^\"]*)\"?$" "\\1")
  list(JOIN ct_release "" ct_system)
endif()
set(CPACK_PACKAGE_FILE_NAME cornerturn-${PROJECT_VERSION}-${ct_system}-${CMAKE_SYSTEM_PROCESSOR})

set(CPACK_GENERATOR TGZ)
find_program(CT_SHLIBDEPS dpkg-shlibdeps)
find_program(CT_FILE file)
if(CT_SHLIBDEPS AND CT_FILE)
  list(APPEND CPACK_GENERATOR DEB)
endif()

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1~${ct_system})
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR})
# Any maker's platform serves; without one there is still `validate` for a device of a file.
set(CPACK_DEBIAN_CORNERTURN_PACKAGE_NAME cornerturn)
set(CPACK_DEBIAN_CORNERTURN_PACKAGE_RECOMMENDS "pocl-opencl-icd | opencl-icd")
set(CPACK_COMPONENT_CORNERTURN_DESCRIPTION "${CPACK_PACKAGE_DESCRIPTION}")
set(CPACK_DEBIAN_CORNERTURN_PACKAGE_SUGGESTS "cornerturn-mpi, cornerturn-casacore, python3-numpy") # docs/python.md
foreach(component MPI CASACORE PSRDADA)
  string(TOLOWER ${component} name)
  set(CPACK_DEBIAN_${component}_PACKAGE_NAME cornerturn-${name})
  set(CPACK_DEBIAN_${component}_PACKAGE_DEPENDS "cornerturn (= ${PROJECT_VERSION}-1~${ct_system})")
endforeach()
set(CPACK_COMPONENT_MPI_DESCRIPTION "What runs a pipeline over the ranks of an MPI job.")
set(CPACK_COMPONENT_CASACORE_DESCRIPTION "What writes Measurement Sets.")
set(CPACK_COMPONENT_PSRDADA_DESCRIPTION "What reads and writes rings of PSRDADA, whose library no package has.")
set(CPACK_DEBIAN_PSRDADA_PACKAGE_SHLIBDEPS OFF)
include(CPack)
