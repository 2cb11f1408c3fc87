// Owns the compiled form of check.hpp, for the programs that use it.
#include "check.hpp"
