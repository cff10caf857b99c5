#include "base/system/own_process.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>

namespace trireme {
namespace {

// The smallest piece that the system gives; it rounds up to a page.
constexpr std::size_t kMarkBytes = 1;

}  // namespace

OwnProcess::OwnProcess() : id_(::getpid()) {
  void* const page = ::mmap(nullptr, kMarkBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return;
  if (::madvise(page, static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)), MADV_WIPEONFORK) != 0) {
    ::munmap(page, kMarkBytes);
    return;
  }
  mark_ = static_cast<volatile char*>(page);
  *mark_ = 1;
}

OwnProcess::~OwnProcess() {
  if (mark_ != nullptr) ::munmap(const_cast<char*>(mark_), kMarkBytes);
}

bool OwnProcess::asks_system() const { return ::getpid() == id_; }

}  // namespace trireme
