// An open as one rank asks for it.
#pragma once

#include "engine/file/file.hpp"
#include "mpiio/open/info.hpp"
#include "mpiio/open/open_agreement.hpp"

namespace collio::mpiio {

/// What the program and the environment ask for. Without memory to look at it the library opens what the
/// program asked for, and keeps it, unless it is a placeholder of subfiles.
struct Opening {
  Opening(MPI_Comm comm, const char* path, int mode, MPI_Info info);
  Opening(const Opening&) = delete;
  Opening& operator=(const Opening&) = delete;
  ~Opening();

  /// Before the library opens the file. Its first rank may make it, with the layout that hints ask for. Not
  /// collective.
  void lay_out(MPI_Comm comm, const char* path);

  /// The library opened `file`, or did not: then what lay_out() made goes. `comm` is an intracommunicator;
  /// its first rank reads other layers' settings. Not collective.
  void note_opened(bool opened, MPI_File file, const char* path);
  /// Rank 0's, of a file that is written, also where the library does its calls.
  std::shared_ptr<storage::WriterMark> writer_mark;
  /// Null: without memory for it, or the file is the library's.
  std::unique_ptr<engine::Proposal> proposal;

  engine::FileRequest request;
  OpenWords words;
  /// for the library; null without memory
  MPI_Info merged = MPI_INFO_NULL;
  /// of the request's settings, for people
  std::string origins;

 private:
  void look(MPI_File file, const char* path);

  Pairs program_, environment_;
};

}  // namespace collio::mpiio
