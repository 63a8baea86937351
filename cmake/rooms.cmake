# The rooms as targets: a folder is a room, and its include path is its own folder and those of the
# rooms that it SEES. These must be there already, so that no two rooms can see each other, and
# headers of libraries (CT_WALLED) stop the compiler where a room does not name them in LINKS.
set(CT_WARNINGS -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla
                -Wpointer-arith -Wwrite-strings -Wformat=2)
if(CT_WERROR)
  list(APPEND CT_WARNINGS -Werror)
endif()
set(CT_ROOMS "" CACHE INTERNAL "")
set(CT_FOLDERS "" CACHE INTERNAL "")

function(ct_compile target)
  target_compile_options(${target} PRIVATE ${CT_WARNINGS} -fvisibility=hidden)
  target_compile_definitions(${target} PRIVATE _POSIX_C_SOURCE=200809L _DEFAULT_SOURCE)
endfunction()

function(ct_sources out folder)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.c)
  list(FILTER sources EXCLUDE REGEX "_test\\.c$")
  set(${out} ${sources} PARENT_SCOPE)
endfunction()

# Puts headers that stop the compiler before those of libraries that are not named.
set(CT_WALLED OpenCL::OpenCL Jansson::Jansson PkgConfig::ERFA PkgConfig::CFITSIO PkgConfig::HDF5)
function(ct_walls target)
  foreach(library ${CT_WALLED})
    if(NOT library IN_LIST ARGN)
      string(REGEX REPLACE ".*::" "" folder ${library})
      target_include_directories(${target} BEFORE PRIVATE
                                 ${PROJECT_SOURCE_DIR}/cmake/walls/${folder})
    endif()
  endforeach()
endfunction()

# ct_room(core/step SEES include base LINKS OpenCL::OpenCL): the target ct_core_step.
function(ct_room folder)
  cmake_parse_arguments(ROOM "" "" "SEES;LINKS;DEFINES" ${ARGN})
  string(REPLACE "/" "_" target ct_${folder})
  ct_sources(sources ${folder})
  ct_embed(headers ${folder})
  add_library(${target} OBJECT ${sources} ${headers})
  ct_compile(${target})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/${folder})
  if(headers)
    target_include_directories(${target} PRIVATE ${PROJECT_BINARY_DIR}/embedded/${folder})
  endif()
  foreach(room ${ROOM_SEES})
    if(NOT room STREQUAL include AND NOT room IN_LIST CT_FOLDERS)
      message(FATAL_ERROR "room ${folder} sees ${room}, which comes after it or is not there")
    endif()
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/${room})
  endforeach()
  ct_walls(${target} ${ROOM_LINKS})
  target_compile_definitions(${target} PRIVATE ${ROOM_DEFINES})
  target_link_libraries(${target} PRIVATE ${ROOM_LINKS} Threads::Threads)
  set(CT_ROOMS "${CT_ROOMS};${target}" CACHE INTERNAL "")
  set(CT_FOLDERS "${CT_FOLDERS};${folder}" CACHE INTERNAL "")
endfunction()

# Each .cl becomes a header NAME_cl.h with `static const char NAME_cl[]`, for its own room; a .wisdom,
# .html or .tsv likewise.
function(ct_embed out folder)
  file(GLOB texts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.cl
       ${PROJECT_SOURCE_DIR}/${folder}/*.wisdom ${PROJECT_SOURCE_DIR}/${folder}/*.html
       ${PROJECT_SOURCE_DIR}/${folder}/*.prices ${PROJECT_SOURCE_DIR}/${folder}/*.tsv)
  set(headers "")
  foreach(text ${texts})
    get_filename_component(name ${text} NAME)
    string(REPLACE "." "_" name ${name})
    set(header ${PROJECT_BINARY_DIR}/embedded/${folder}/${name}.h)
    add_custom_command(OUTPUT ${header} DEPENDS ${text} ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
      COMMAND ${CMAKE_COMMAND} -DINPUT=${text} -DOUTPUT=${header} -DNAME=${name}
              -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake)
    list(APPEND headers ${header})
  endforeach()
  set(${out} ${headers} PARENT_SCOPE)
endfunction()

# The libraries that transform, and what tells stages/fft that they are there.
set(CT_FFT_LINKS "")
set(CT_FFT_DEFINES "")
if(FFTW_FOUND AND CT_FFTW)
  list(APPEND CT_FFT_LINKS PkgConfig::FFTW)
  list(APPEND CT_FFT_DEFINES CT_HAVE_FFTW)
endif()
if(CLFFT_FOUND)
  list(APPEND CT_FFT_LINKS PkgConfig::CLFFT)
  list(APPEND CT_FFT_DEFINES CT_HAVE_CLFFT)
elseif(clFFT_FOUND)
  list(APPEND CT_FFT_LINKS clFFT)
  list(APPEND CT_FFT_DEFINES CT_HAVE_CLFFT)
endif()

# Every folder of stages/ is a room that sees the contract and what a few stages share. stages/own
# reads stages from files. stages/ppf does the work of two others, whose parts it takes.
function(ct_stages)
  ct_room(stages/shared SEES include)
  file(GLOB folders CONFIGURE_DEPENDS LIST_DIRECTORIES true ${PROJECT_SOURCE_DIR}/stages/*)
  foreach(folder ${folders})
    file(RELATIVE_PATH relative ${PROJECT_SOURCE_DIR} ${folder})
    if(IS_DIRECTORY ${folder} AND relative STREQUAL stages/fft)
      ct_room(${relative} SEES include stages/shared LINKS OpenCL::OpenCL ${CT_FFT_LINKS}
              DEFINES ${CT_FFT_DEFINES})
    elseif(relative STREQUAL stages/ppf)
      ct_room(${relative} SEES include stages/shared stages/fir stages/fft)
    elseif(relative STREQUAL stages/own)
      ct_room(${relative} SEES include base)
    elseif(IS_DIRECTORY ${folder} AND NOT relative STREQUAL stages/shared)
      ct_room(${relative} SEES include stages/shared)
    endif()
  endforeach()
  ct_room(stages SEES include base)
endfunction()

# What a format takes of a library, where it was found, and what tells it that it was.
set(CT_IO_LIBRARIES io/psrfits=CFITSIO io/hdf5=HDF5 io/uvh5=HDF5 io/fbh5=HDF5 io/cutouts=HDF5 io/h5parm=HDF5 io/lofar_bf=HDF5 io/lofar=ZSTD)
set(CT_IO_SHARED io/shared io/hdf5)
set(CT_IO_LINKS "")
set(CT_IO_DEFINES "")
foreach(library ${CT_IO_LIBRARIES})
  string(REPLACE "=" ";" library ${library})
  list(GET library 0 room)
  list(GET library 1 library)
  if(${library}_FOUND)
    set(CT_LINKS_${room} PkgConfig::${library})
    set(CT_DEFINES_${room} CT_HAVE_${library})
    list(APPEND CT_IO_LINKS PkgConfig::${library})
    list(APPEND CT_IO_DEFINES CT_HAVE_${library})
  endif()
endforeach()

# What writes Measurement Sets: likewise a module, loaded only where a pipeline has such a sink.
if(CASACORE_FOUND)
  set(CT_DEFINES_io/ms CT_CASACORE_MODULE="libcornerturn_casacore.so")
  list(APPEND CT_IO_DEFINES ${CT_DEFINES_io/ms})
endif()
function(ct_casacore)
  if(NOT CASACORE_FOUND)
    return()
  endif()
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/casacore/*.cc)
  add_library(cornerturn_casacore MODULE ${sources})
  target_compile_options(cornerturn_casacore PRIVATE -Wall -Wextra -Wshadow -fvisibility=hidden
                         $<$<BOOL:${CT_WERROR}>:-Werror>)
  set_target_properties(cornerturn_casacore PROPERTIES PREFIX lib SUFFIX .so CXX_STANDARD 17)
  target_include_directories(cornerturn_casacore PRIVATE ${PROJECT_SOURCE_DIR}/io/ms)
  # Of all that casacore has, what is called.
  target_link_options(cornerturn_casacore PRIVATE LINKER:--as-needed)
  target_link_libraries(cornerturn_casacore PRIVATE PkgConfig::CASACORE)
  install(TARGETS cornerturn_casacore LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT casacore)
endfunction()

# What reads and writes rings of PSRDADA: likewise.
if(PSRDADA_FOUND)
  set(CT_DEFINES_io/dada CT_PSRDADA_MODULE="libcornerturn_psrdada.so")
  list(APPEND CT_IO_DEFINES ${CT_DEFINES_io/dada})
endif()
function(ct_psrdada)
  if(NOT PSRDADA_FOUND)
    return()
  endif()
  add_library(cornerturn_psrdada MODULE ${PROJECT_SOURCE_DIR}/psrdada/ring_psrdada.c)
  ct_compile(cornerturn_psrdada)
  # It is rarely where the system looks for libraries.
  set_target_properties(cornerturn_psrdada PROPERTIES PREFIX lib SUFFIX .so INSTALL_RPATH_USE_LINK_PATH ON)
  target_include_directories(cornerturn_psrdada PRIVATE ${PROJECT_SOURCE_DIR}/io/dada)
  target_include_directories(cornerturn_psrdada SYSTEM PRIVATE ${CT_PSRDADA_INCLUDE})
  target_link_libraries(cornerturn_psrdada PRIVATE ${CT_PSRDADA_LIBRARY})
  install(TARGETS cornerturn_psrdada LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT psrdada)
endfunction()

# Every folder of io/ is a room that sees the contract and what formats share; those with HDF5 also what
# these share. io/ms and io/dada load modules.
function(ct_formats)
  ct_room(io/shared SEES include)
  ct_room(io/hdf5 SEES include io/shared LINKS ${CT_LINKS_io/hdf5} DEFINES ${CT_DEFINES_io/hdf5})
  file(GLOB folders CONFIGURE_DEPENDS LIST_DIRECTORIES true ${PROJECT_SOURCE_DIR}/io/*)
  set(formats "")
  foreach(folder ${folders})
    file(RELATIVE_PATH relative ${PROJECT_SOURCE_DIR} ${folder})
    set(shared io/shared)
    if("${relative}=HDF5" IN_LIST CT_IO_LIBRARIES)
      list(APPEND shared io/hdf5)
    elseif(relative MATCHES "^io/(ms|dada)$")
      list(PREPEND shared base)
    endif()
    if(IS_DIRECTORY ${folder} AND NOT relative IN_LIST CT_IO_SHARED)
      ct_room(${relative} SEES include ${shared}
              LINKS ${CT_LINKS_${relative}} DEFINES ${CT_DEFINES_${relative}})
      list(APPEND formats ${relative})
    endif()
  endforeach()
  ct_room(io SEES include io/shared ${formats})
endfunction()

# All rooms in one library.
function(ct_link_rooms name kind)
  set(objects "")
  foreach(room ${CT_ROOMS})
    list(APPEND objects $<TARGET_OBJECTS:${room}>)
  endforeach()
  add_library(${name} ${kind} ${objects})
  set_target_properties(${name} PROPERTIES OUTPUT_NAME cornerturn)
  target_include_directories(${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${name} PRIVATE OpenCL::OpenCL Jansson::Jansson PkgConfig::LIBMD Threads::Threads m
                        ${CMAKE_DL_LIBS} ${CT_FFT_LINKS} ${CT_IO_LINKS}
                        $<TARGET_NAME_IF_EXISTS:PkgConfig::ERFA>)
endfunction()

# By which ranks of a job reach each other: a module that is loaded only in such a job, so that nothing
# else needs MPI. It stands beside the library.
set(CT_MPI_DEFINES "")
if(MPI_C_FOUND)
  set(CT_MPI_DEFINES CT_MPI_MODULE="libcornerturn_mpi.so")
endif()
function(ct_mpi)
  if(NOT MPI_C_FOUND)
    return()
  endif()
  add_library(cornerturn_mpi MODULE ${PROJECT_SOURCE_DIR}/mpi/wire_mpi.c)
  ct_compile(cornerturn_mpi)
  set_target_properties(cornerturn_mpi PROPERTIES PREFIX lib SUFFIX .so)
  target_include_directories(cornerturn_mpi PRIVATE ${PROJECT_SOURCE_DIR}/core/ranks)
  target_link_libraries(cornerturn_mpi PRIVATE MPI::MPI_C)
  install(TARGETS cornerturn_mpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT mpi)
endfunction()

# One set of objects, two libraries. The shared one shows what the public headers mark and nothing
# else; the command uses it, so that a plug-in finds the one copy in the process. Calls inside it go
# straight to where they lead, as in the archive. Tests and measuring programs call functions that
# it hides: they have the archive (ct_inside).
function(ct_library)
  ct_link_rooms(cornerturn SHARED)
  set_target_properties(cornerturn PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION 0)
  if(NOT APPLE)
    target_link_options(cornerturn PRIVATE LINKER:-Bsymbolic-functions)
  endif()
  ct_link_rooms(ct_inside STATIC)
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
  ct_walls(ct_cli)
  target_include_directories(ct_cli PRIVATE ${PROJECT_SOURCE_DIR}/cli ${PROJECT_BINARY_DIR}/skeleton)
  target_link_libraries(ct_cli PRIVATE cornerturn m)
  # Where, seen from the installed command, the CMake package and the pages are.
  foreach(folder PACKAGE=${CMAKE_INSTALL_LIBDIR}/cmake/cornerturn DOCS=${CMAKE_INSTALL_DOCDIR}/docs)
    string(REGEX MATCH "^([A-Z]+)=(.*)" folder ${folder})
    file(RELATIVE_PATH from_bin /prefix/${CMAKE_INSTALL_BINDIR} /prefix/${CMAKE_MATCH_2})
    target_compile_definitions(ct_cli PRIVATE CT_${CMAKE_MATCH_1}_FROM_HERE="${from_bin}")
  endforeach()
  # Where the prefix is moved, the command finds the library beside it.
  file(RELATIVE_PATH from_bin /prefix/${CMAKE_INSTALL_BINDIR} /prefix/${CMAKE_INSTALL_LIBDIR})
  set_target_properties(ct_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${from_bin}")
endfunction()
