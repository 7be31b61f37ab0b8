# Bundles the report page and embeds it in anmf_report.
if(ANMF_REPORT AND NOT (ANMF_NPM AND ANMF_NODE)) # only a wheel comes so far without
  message(STATUS "There is no npm: the package will have no report page.")
  set(ANMF_REPORT OFF)
endif()
if(ANMF_REPORT)
  set(web "${CMAKE_CURRENT_LIST_DIR}")
  set(page "${PROJECT_BINARY_DIR}/web")
  file(GLOB web_sources CONFIGURE_DEPENDS "${web}/src/*")
  # The packages live in the source folder, so that the builds of all presets share them.
  add_custom_command(
    OUTPUT "${page}/report_template.cpp" "${page}/report_template.html"
    COMMAND "${web}/install"
    COMMAND "${ANMF_NODE}" "${web}/build.mjs" "${page}"
    DEPENDS ${web_sources} "${web}/build.mjs" "${web}/install" "${web}/package.json" "${web}/package-lock.json"
    COMMENT "Bundling the report page"
    VERBATIM)
  # A target of its own, which waits for no library: everything that uses the page waits for it.
  add_custom_target(anmf_report_template DEPENDS "${page}/report_template.cpp")
  add_dependencies(anmf_report anmf_report_template)
  target_sources(anmf_report PRIVATE "${page}/report_template.cpp")
  # A page is longer than the literals that the standard promises to take; every compiler takes it.
  set_source_files_properties("${page}/report_template.cpp" PROPERTIES COMPILE_OPTIONS -Wno-overlength-strings)
else()
  target_sources(anmf_report PRIVATE report_template_absent.cpp)
endif()
