// What the ranks of an open tell each other.
#pragma once

#include "mpiio/shim/calls.h"

#include <string_view>

#include "core/result.hpp"
#include "engine/file/file.hpp"

namespace collio::mpiio {

/// This rank's part.
struct OpenWords {
  /// by the library: it may fail on some ranks
  bool opened = false;
  /// the program's amode
  int mode = 0;
  /// check mode is asked for
  bool check = false;
  bool has_memory = true;
  /// the file is; the first rank looks
  bool in_subfiles = false;
  /// collio does not know the file that the library opened
  core::Error path;
  /// 0: does not say what it waits for
  double patience_s = 60;
};

/// One meeting of the program's communicator, in which a shim without an engine takes part (shim_absent.c).
/// Collective.
struct OpenAgreement {
  /// on all ranks
  bool opened = false;
  /// all ranks gave the same one
  bool same_mode = false;
  /// some rank asked for check mode
  bool check = false;
  /// the file's bytes are where the library does not look
  bool in_subfiles = false;
  /// why the file is the library's; empty: no reason so far. It may be the text of `mine`
  std::string_view why_not;

  /// the least of the engines' words
  engine::OpenWord::Words engines{};

  struct At {
    MPI_Comm comm;
    const char* path;
    engine::Reception& reception;
  };
  /// `proposal`: null where there is none.
  OpenAgreement(const At& at, const OpenWords& mine, const engine::Proposal* proposal);
};

}  // namespace collio::mpiio
