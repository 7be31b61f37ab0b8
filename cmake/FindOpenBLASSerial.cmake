# The single-threaded flavour of OpenBLAS: our own threads call it on fixed chunks, which scales better
# on the skinny shapes of NMF than a threaded BLAS and gives the same bits for any number of threads.
# Another flavour works too, if OPENBLAS_NUM_THREADS=1 is set where the program runs.
include(FindPackageHandleStandardArgs)
find_library(OpenBLASSerial_LIBRARY openblas PATH_SUFFIXES openblas-serial ${CMAKE_LIBRARY_ARCHITECTURE}/openblas-serial)
find_path(OpenBLASSerial_INCLUDE_DIR cblas.h PATH_SUFFIXES openblas-serial openblas
                                                           ${CMAKE_LIBRARY_ARCHITECTURE}/openblas-serial)
find_package_handle_standard_args(OpenBLASSerial REQUIRED_VARS OpenBLASSerial_LIBRARY OpenBLASSerial_INCLUDE_DIR)
if(OpenBLASSerial_FOUND AND NOT TARGET OpenBLASSerial::OpenBLASSerial)
  add_library(OpenBLASSerial::OpenBLASSerial UNKNOWN IMPORTED)
  set_target_properties(
    OpenBLASSerial::OpenBLASSerial PROPERTIES IMPORTED_LOCATION "${OpenBLASSerial_LIBRARY}"
                                              INTERFACE_INCLUDE_DIRECTORIES "${OpenBLASSerial_INCLUDE_DIR}")
endif()
mark_as_advanced(OpenBLASSerial_LIBRARY OpenBLASSerial_INCLUDE_DIR)
