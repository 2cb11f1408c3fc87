# cmake -DVERSION=… -DFILE=… -P version_file.cmake: the file by which find_package(collio 0.1) compares versions.
include(CMakePackageConfigHelpers)
write_basic_package_version_file(${FILE} VERSION ${VERSION} COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
