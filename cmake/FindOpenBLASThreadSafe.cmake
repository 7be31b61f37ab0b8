# OpenBLAS in a flavour that several threads may call at once. Our own threads call it on fixed chunks, with
# its own threading switched off: that scales better on the skinny shapes of NMF than a threaded BLAS, and
# gives the same bits for any number of threads. The serial flavour of OpenBLAS does not qualify: its callers
# share one work buffer without a lock, and concurrent calls return wrong numbers.
include(FindPackageHandleStandardArgs)
set(_flavours openblas-pthread openblas-openmp)
# Where flavours differ by name, as on Red Hat, openblasp is the one with threads.
find_library(OpenBLASThreadSafe_LIBRARY NAMES openblasp openblas PATH_SUFFIXES ${_flavours})
find_path(OpenBLASThreadSafe_INCLUDE_DIR cblas.h PATH_SUFFIXES ${_flavours} openblas)
foreach(_flavour IN LISTS _flavours)
  find_library(OpenBLASThreadSafe_LIBRARY openblas PATH_SUFFIXES ${CMAKE_LIBRARY_ARCHITECTURE}/${_flavour})
  find_path(OpenBLASThreadSafe_INCLUDE_DIR cblas.h PATH_SUFFIXES ${CMAKE_LIBRARY_ARCHITECTURE}/${_flavour})
endforeach()
find_package_handle_standard_args(OpenBLASThreadSafe REQUIRED_VARS OpenBLASThreadSafe_LIBRARY
                                                                   OpenBLASThreadSafe_INCLUDE_DIR)
if(OpenBLASThreadSafe_FOUND AND NOT TARGET OpenBLASThreadSafe::OpenBLASThreadSafe)
  add_library(OpenBLASThreadSafe::OpenBLASThreadSafe UNKNOWN IMPORTED)
  set_target_properties(
    OpenBLASThreadSafe::OpenBLASThreadSafe
    PROPERTIES IMPORTED_LOCATION "${OpenBLASThreadSafe_LIBRARY}"
               INTERFACE_INCLUDE_DIRECTORIES "${OpenBLASThreadSafe_INCLUDE_DIR}")
endif()
mark_as_advanced(OpenBLASThreadSafe_LIBRARY OpenBLASThreadSafe_INCLUDE_DIR)
