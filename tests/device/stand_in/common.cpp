// What all stand-ins have.
#include "device.hpp"

using namespace collio::test;

extern "C" {
void* stand_in_hidden(const void* address) { return device().reach(address, 1); }
void stand_in_forget() { device().forget(); }
void stand_in_fail_from(int first) { device().fail_from(first); }
int stand_in_copies() { return device().copies(); }
int stand_in_queries() { return device().queries(); }
}
