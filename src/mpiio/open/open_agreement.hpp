// What the ranks of an open tell each other.
#pragma once

#include "mpiio/shim/calls.h"

#include <string_view>

#include "core/result.hpp"
#include "engine/file/file.hpp"

namespace collio::mpiio {

/// This rank's part.
struct OpenWords {
  bool opened = false;  ///< by the library: it may fail on some ranks
  int mode = 0;         ///< the program's amode
  bool check = false;   ///< check mode is asked for
  bool has_memory = true;
  bool in_subfiles = false;  ///< the file is; the first rank looks
  core::Error path;          ///< collio does not know the file that the library opened
  double patience_s = 60;    ///< 0: does not say what it waits for
};

/// One meeting of the program's communicator, in which a shim without an engine takes part (shim_absent.c).
/// Collective.
struct OpenAgreement {
  bool opened = false;       ///< on all ranks
  bool same_mode = false;    ///< all ranks gave the same one
  bool check = false;        ///< some rank asked for check mode
  bool in_subfiles = false;  ///< the file's bytes are where the library does not look
  std::string_view
      why_not;  ///< why the file is the library's; empty: no reason so far. It may be the text of `mine`

  engine::OpenWord::Words engines{};  ///< the least of the engines' words

  struct At {
    MPI_Comm comm;
    const char* path;
    engine::Reception& reception;
  };
  /// `proposal`: null where there is none.
  OpenAgreement(const At& at, const OpenWords& mine, const engine::Proposal* proposal);
};

}  // namespace collio::mpiio
