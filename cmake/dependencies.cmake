# Finds what Cornerturn builds on, and says in one sentence what is missing.
find_package(OpenCL REQUIRED)
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)

pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)
add_library(Jansson::Jansson ALIAS PkgConfig::JANSSON)
pkg_check_modules(LIBMD REQUIRED IMPORTED_TARGET libmd)

# Directions on the sky; without it what asks for them says so.
pkg_check_modules(ERFA IMPORTED_TARGET erfa)
# PSRFITS; without it source.psrfits says so.
pkg_check_modules(CFITSIO IMPORTED_TARGET cfitsio)
# UVH5; without it sink.uvh5 says so. Not a build for MPI, which needs more than HDF5.
pkg_search_module(HDF5 IMPORTED_TARGET hdf5-serial hdf5)
# Packets that are compressed; without it source.lofar says so.
pkg_check_modules(ZSTD IMPORTED_TARGET libzstd)

pkg_check_modules(CLFFT IMPORTED_TARGET clFFT)
if(NOT CLFFT_FOUND)
  find_package(clFFT QUIET)
endif()
if(CT_FFTW)
  pkg_check_modules(FFTW IMPORTED_TARGET fftw3f)
endif()
# FFTW's planner is one for the whole process; this part of FFTW guards it against several threads.
# Linkers want it before fftw3f, which it uses.
if(CT_FFTW AND FFTW_FOUND)
  find_library(CT_FFTW_THREADS fftw3f_threads HINTS ${FFTW_LIBRARY_DIRS})
  if(NOT CT_FFTW_THREADS)
    message(FATAL_ERROR "FFTW has no libfftw3f_threads here: build FFTW with --enable-threads, or "
                        "configure with -DCT_FFTW=OFF")
  endif()
  get_target_property(ct_fftw_libraries PkgConfig::FFTW INTERFACE_LINK_LIBRARIES)
  set_target_properties(PkgConfig::FFTW PROPERTIES
                        INTERFACE_LINK_LIBRARIES "${CT_FFTW_THREADS};${ct_fftw_libraries}")
endif()
if(NOT CLFFT_FOUND AND NOT clFFT_FOUND AND NOT FFTW_FOUND)
  message(FATAL_ERROR "No FFT engine found: install libfftw3-dev or libclfft-dev")
endif()

# Measurement Sets; without it sink.ms says so. casacore is C++, and only its module is.
if(NOT CT_CASACORE STREQUAL "OFF")
  pkg_check_modules(CASACORE IMPORTED_TARGET casacore)
  include(CheckLanguage)
  check_language(CXX)
  if(CASACORE_FOUND AND CMAKE_CXX_COMPILER)
    enable_language(CXX)
  else()
    set(CASACORE_FOUND FALSE)
  endif()
  if(CT_CASACORE STREQUAL "ON" AND NOT CASACORE_FOUND)
    message(FATAL_ERROR "CT_CASACORE is ON and no casacore was found, or no C++ compiler: install "
                        "casacore-dev and g++")
  endif()
endif()

# Ranks of a job; without it `mpirun cornerturn` says so.
if(NOT CT_MPI STREQUAL "OFF")
  find_package(MPI QUIET COMPONENTS C)
  if(CT_MPI STREQUAL "ON" AND NOT MPI_C_FOUND)
    message(FATAL_ERROR "CT_MPI is ON and no MPI was found: install libopenmpi-dev")
  endif()
endif()

# Rings of PSRDADA; without it source.dada and sink.dada say so. It has neither a pkg-config file nor a
# CMake package that finds its headers, and older ones lack functions.
if(NOT CT_PSRDADA STREQUAL "OFF")
  find_path(CT_PSRDADA_INCLUDE ipcbuf.h PATH_SUFFIXES psrdada)
  find_library(CT_PSRDADA_LIBRARY psrdada)
  mark_as_advanced(CT_PSRDADA_INCLUDE CT_PSRDADA_LIBRARY)
  set(PSRDADA_FOUND FALSE)
  if(CT_PSRDADA_INCLUDE AND CT_PSRDADA_LIBRARY)
    include(CheckSymbolExists)
    set(CMAKE_REQUIRED_INCLUDES ${CT_PSRDADA_INCLUDE})
    set(CMAKE_REQUIRED_LIBRARIES ${CT_PSRDADA_LIBRARY})
    set(CMAKE_REQUIRED_DEFINITIONS -D_DEFAULT_SOURCE) # key_t
    check_symbol_exists(ipcbuf_get_device ipcbuf.h CT_PSRDADA_LINKS)
    unset(CMAKE_REQUIRED_INCLUDES)
    unset(CMAKE_REQUIRED_LIBRARIES)
    unset(CMAKE_REQUIRED_DEFINITIONS)
    set(PSRDADA_FOUND ${CT_PSRDADA_LINKS})
  endif()
  if(CT_PSRDADA STREQUAL "ON" AND NOT PSRDADA_FOUND)
    message(FATAL_ERROR "CT_PSRDADA is ON and PSRDADA's shared library was not found, or is an old one: "
                        "name its prefix in CMAKE_PREFIX_PATH")
  endif()
endif()
