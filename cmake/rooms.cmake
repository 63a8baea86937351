# The rooms as targets. Every .c of a folder belongs to its room; *_test.c are test programs.
set(CT_WARNINGS -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla
                -Wpointer-arith -Wwrite-strings -Wformat=2)
if(CT_WERROR)
  list(APPEND CT_WARNINGS -Werror)
endif()
set(CT_ROOMS "" CACHE INTERNAL "")

function(ct_compile target)
  target_compile_options(${target} PRIVATE ${CT_WARNINGS})
  target_compile_definitions(${target} PRIVATE _POSIX_C_SOURCE=200809L _DEFAULT_SOURCE
                             CT_VERSION="${PROJECT_VERSION}")
endfunction()

function(ct_sources out folder)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.c)
  list(FILTER sources EXCLUDE REGEX "_test\\.c$")
  set(${out} ${sources} PARENT_SCOPE)
endfunction()

function(ct_room name)
  cmake_parse_arguments(ROOM "" "" "SEES;LINKS" ${ARGN})
  ct_sources(sources ${name})
  if(NOT sources)
    return()
  endif()
  ct_embed(headers ${name})
  add_library(ct_${name} OBJECT ${sources} ${headers})
  ct_compile(ct_${name})
  target_include_directories(ct_${name} PRIVATE ${PROJECT_SOURCE_DIR}/${name})
  if(headers)
    target_include_directories(ct_${name} PRIVATE ${PROJECT_BINARY_DIR}/embedded)
  endif()
  foreach(room ${ROOM_SEES})
    target_include_directories(ct_${name} PRIVATE ${PROJECT_SOURCE_DIR}/${room})
  endforeach()
  target_link_libraries(ct_${name} PRIVATE ${ROOM_LINKS} Threads::Threads)
  set(CT_ROOMS "${CT_ROOMS};ct_${name}" CACHE INTERNAL "")
endfunction()

# Each .cl becomes a header NAME_cl.h with `static const char NAME_cl[]`.
function(ct_embed out folder)
  file(GLOB kernels CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.cl)
  set(headers "")
  foreach(kernel ${kernels})
    get_filename_component(stem ${kernel} NAME_WE)
    set(header ${PROJECT_BINARY_DIR}/embedded/${stem}_cl.h)
    add_custom_command(OUTPUT ${header} DEPENDS ${kernel} ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
      COMMAND ${CMAKE_COMMAND} -DINPUT=${kernel} -DOUTPUT=${header} -DNAME=${stem}_cl
              -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake)
    list(APPEND headers ${header})
  endforeach()
  set(${out} ${headers} PARENT_SCOPE)
endfunction()

function(ct_stages)
  file(GLOB folders CONFIGURE_DEPENDS LIST_DIRECTORIES true ${PROJECT_SOURCE_DIR}/stages/*)
  set(all "")
  foreach(folder ${folders})
    if(IS_DIRECTORY ${folder})
      file(RELATIVE_PATH relative ${PROJECT_SOURCE_DIR} ${folder})
      ct_sources(sources ${relative})
      ct_embed(headers ${relative})
      list(APPEND all ${sources} ${headers})
    endif()
  endforeach()
  ct_sources(table stages)
  add_library(ct_stages OBJECT ${all} ${table})
  ct_compile(ct_stages)
  target_include_directories(ct_stages PRIVATE ${PROJECT_SOURCE_DIR}/include
                             ${PROJECT_BINARY_DIR}/embedded)
  target_link_libraries(ct_stages PRIVATE OpenCL::OpenCL)
  if(FFTW_FOUND AND CT_FFTW)
    target_link_libraries(ct_stages PRIVATE PkgConfig::FFTW)
    target_compile_definitions(ct_stages PRIVATE CT_HAVE_FFTW)
  endif()
  if(CLFFT_FOUND)
    target_link_libraries(ct_stages PRIVATE PkgConfig::CLFFT)
    target_compile_definitions(ct_stages PRIVATE CT_HAVE_CLFFT)
  elseif(clFFT_FOUND)
    target_link_libraries(ct_stages PRIVATE clFFT)
    target_compile_definitions(ct_stages PRIVATE CT_HAVE_CLFFT)
  endif()
  set(CT_ROOMS "${CT_ROOMS};ct_stages" CACHE INTERNAL "")
endfunction()

function(ct_library)
  set(objects "")
  foreach(room ${CT_ROOMS})
    list(APPEND objects $<TARGET_OBJECTS:${room}>)
  endforeach()
  add_library(cornerturn ${objects})
  set_target_properties(cornerturn PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION 0)
  target_include_directories(cornerturn PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(cornerturn PRIVATE OpenCL::OpenCL Jansson::Jansson Threads::Threads m dl)
  if(FFTW_FOUND AND CT_FFTW)
    target_link_libraries(cornerturn PRIVATE PkgConfig::FFTW)
  endif()
  if(CLFFT_FOUND)
    target_link_libraries(cornerturn PRIVATE PkgConfig::CLFFT)
  elseif(clFFT_FOUND)
    target_link_libraries(cornerturn PRIVATE clFFT)
  endif()
endfunction()

# Each FILE.in of cli/skeleton/ becomes a header skeleton_FILE.h with `static const char skeleton_FILE[]`.
function(ct_skeleton out)
  file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/cli/skeleton/*.in)
  set(headers "")
  foreach(file ${files})
    get_filename_component(name ${file} NAME)
    string(REGEX REPLACE "[.]in$" "" name skeleton_${name})
    string(REPLACE "." "_" name ${name})
    set(header ${PROJECT_BINARY_DIR}/skeleton/${name}.h)
    add_custom_command(OUTPUT ${header} DEPENDS ${file} ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
      COMMAND ${CMAKE_COMMAND} -DINPUT=${file} -DOUTPUT=${header} -DNAME=${name}
              -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake)
    list(APPEND headers ${header})
  endforeach()
  set(${out} ${headers} PARENT_SCOPE)
endfunction()

function(ct_command)
  ct_sources(sources cli)
  if(NOT sources)
    return()
  endif()
  ct_skeleton(skeleton)
  add_executable(ct_cli ${sources} ${skeleton})
  set_target_properties(ct_cli PROPERTIES OUTPUT_NAME cornerturn)
  ct_compile(ct_cli)
  target_include_directories(ct_cli PRIVATE ${PROJECT_SOURCE_DIR}/cli ${PROJECT_BINARY_DIR}/skeleton)
  target_link_libraries(ct_cli PRIVATE cornerturn m)
endfunction()

# What every test finds in its environment. clFFT deletes an object by another type's size, and
# libraries keep memory to the end: sanitizers shall speak of our own code.
set(CT_TEST_ENVIRONMENT
  "CORNERTURN=$<$<TARGET_EXISTS:ct_cli>:${PROJECT_BINARY_DIR}/cornerturn>" "POCL_AFFINITY=1")
if(CMAKE_C_FLAGS MATCHES "-fsanitize=")
  list(APPEND CT_TEST_ENVIRONMENT "ASAN_OPTIONS=new_delete_type_mismatch=0"
       "LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/lsan.supp:print_suppressions=0")
endif()

# A test program sees every room. Test names say the folder: base.json, stages.fir.fir.
function(ct_tests)
  pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)
  file(GLOB_RECURSE tests CONFIGURE_DEPENDS
    ${PROJECT_SOURCE_DIR}/base/*_test.c ${PROJECT_SOURCE_DIR}/layouts/*_test.c
    ${PROJECT_SOURCE_DIR}/core/*_test.c ${PROJECT_SOURCE_DIR}/io/*_test.c
    ${PROJECT_SOURCE_DIR}/stages/*_test.c ${PROJECT_SOURCE_DIR}/tuner/*_test.c
    ${PROJECT_SOURCE_DIR}/cli/*_test.c ${PROJECT_SOURCE_DIR}/tests/*_test.c)
  foreach(test ${tests})
    file(RELATIVE_PATH relative ${PROJECT_SOURCE_DIR} ${test})
    string(REGEX REPLACE "_test\\.c$" "" name ${relative})
    string(REPLACE "/" "." name ${name})
    add_executable(test.${name} ${test})
    ct_compile(test.${name})
    target_include_directories(test.${name} PRIVATE ${PROJECT_SOURCE_DIR}
      ${PROJECT_SOURCE_DIR}/base ${PROJECT_SOURCE_DIR}/layouts ${PROJECT_SOURCE_DIR}/core
      ${PROJECT_SOURCE_DIR}/tuner ${PROJECT_SOURCE_DIR}/io ${PROJECT_SOURCE_DIR}/tests)
    target_link_libraries(test.${name} PRIVATE cornerturn PkgConfig::CMOCKA OpenCL::OpenCL m
                          Threads::Threads)
    if(FFTW_FOUND AND CT_FFTW)
      target_link_libraries(test.${name} PRIVATE PkgConfig::FFTW)
    endif()
    set_target_properties(test.${name} PROPERTIES
      RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
    add_test(NAME ${name} COMMAND test.${name} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(${name} PROPERTIES TIMEOUT 600 SKIP_RETURN_CODE 77
                         ENVIRONMENT "${CT_TEST_ENVIRONMENT}")
  endforeach()
  if(EXISTS ${PROJECT_SOURCE_DIR}/tests/CMakeLists.txt)
    add_subdirectory(tests)
  endif()
endfunction()
