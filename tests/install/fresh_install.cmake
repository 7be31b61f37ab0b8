file(REMOVE_RECURSE "${PREFIX}")
execute_process(COMMAND "${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${PREFIX}" RESULT_VARIABLE result
                OUTPUT_QUIET)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "the installation failed")
endif()
foreach(file include/anmf/factorize.h include/anmf/version.h bin/anmf share/man/man1/anmf.1
             share/bash-completion/completions/anmf share/zsh/site-functions/_anmf)
  if(NOT EXISTS "${PREFIX}/${file}")
    message(FATAL_ERROR "${file} was not installed")
  endif()
endforeach()
