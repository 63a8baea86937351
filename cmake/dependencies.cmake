# Finds what Cornerturn builds on, and says in one sentence what is missing.
find_package(OpenCL REQUIRED)
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)

pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)
add_library(Jansson::Jansson ALIAS PkgConfig::JANSSON)

pkg_check_modules(CLFFT IMPORTED_TARGET clFFT)
if(NOT CLFFT_FOUND)
  find_package(clFFT QUIET)
endif()
if(CT_FFTW)
  pkg_check_modules(FFTW IMPORTED_TARGET fftw3f)
endif()
if(NOT CLFFT_FOUND AND NOT clFFT_FOUND AND NOT FFTW_FOUND)
  message(FATAL_ERROR "No FFT engine found: install libfftw3-dev or libclfft-dev")
endif()
