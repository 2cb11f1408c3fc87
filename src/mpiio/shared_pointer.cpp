// See shared_pointer.hpp.
#include "mpiio/shared_pointer.hpp"

#include <unistd.h>

#include <random>

namespace collio::mpiio {

std::uint64_t SharedPointer::new_identity() {
  std::random_device random;
  return (std::uint64_t{random()} << 32 | random() | 1) % most_identity;
}

void SharedPointer::begin_view(bool kept_here, std::uint64_t identity) {
  kept_here_ = kept_here;
  ++view_;
  if (kept_here && identity_ == 0) identity_ = identity;
}

std::string SharedPointer::path(const engine::File& file) const {
  const std::string number = storage::hex_text(identity_);
  if (file.subfiles) return file.subfiles->set.folder() + "/shared-pointer." + number;
  const std::string folder = storage::parent_folder(file.path);
  return folder + "/." + file.path.substr(file.path.rfind('/') + 1) + ".collio-pointer." + number;
}

storage::CounterFile& SharedPointer::counter(const engine::File& file) {
  const std::scoped_lock lock(opening_);
  if (!counter_) counter_ = std::make_unique<storage::CounterFile>(path(file));
  return *counter_;
}

core::Result<std::int64_t> SharedPointer::take(const engine::File& file, std::int64_t etypes) {
  return counter(file).add(view_, etypes);
}

core::Error SharedPointer::set(const engine::File& file, std::int64_t etype) {
  return counter(file).set(view_, etype);
}

void SharedPointer::close() { counter_.reset(); }

void SharedPointer::remove(const engine::File& file) const {
  if (identity_ != 0) ::unlink(path(file).c_str());  // it may never have been made
}

}  // namespace collio::mpiio
