#include "launch/child.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <csignal>
#include <cstdio>
#include <exception>
#include <iostream>
#include <string>
#include <string_view>

#include "base/exit_status.h"
#include "launch/signals.h"

namespace trireme::launch {
namespace {

constexpr int kCannotStart = 127;  // as a shell says it
constexpr char kEndOfMessage = '\0';
constexpr char kHintFollows = '\n';

// Also for a program that closes the pipe by which its group ends with the launcher, as ssh does. The signal
// comes when the thread ends that has forked this process: it is in `run_job` for as long as the job lasts.
void end_with_launcher(pid_t launcher) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != launcher) _exit(kCannotStart);  // it has ended before
}

void connect_streams(const ChildSetup& setup) {
  const int in = setup.in < 0 ? open("/dev/null", O_RDONLY) : setup.in;
  if (in < 0 || dup2(in, STDIN_FILENO) < 0) _exit(kCannotStart);
  if (dup2(setup.out, STDOUT_FILENO) < 0 || dup2(setup.err, STDERR_FILENO) < 0) _exit(kCannotStart);
}

// Nothing may run in a process until all are there and will end with the launcher.
void wait_at_gate(int gate) {
  char byte = 0;
  if (read_some(gate, {&byte, 1}) != 1) _exit(kCannotStart);
  close(gate);
}

void open_for_exec(const std::vector<int>& fds) {
  for (const int fd : fds) fcntl(fd, F_SETFD, fcntl(fd, F_GETFD) & ~FD_CLOEXEC);
}

// Sends at most PIPE_BUF bytes: so many are written at once, not mixed with those of another process.
void send_exec_error(int report, const Failure& failure) {
  std::string message = failure.what + kHintFollows + failure.hint;
  message.resize(std::min<std::size_t>(message.size(), PIPE_BUF - 1));
  message.push_back(kEndOfMessage);
  write_all(report, message);
}

int run_body(const ChildSetup& setup) {
  // A node that is killed has printed all lines up to then.
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
  try {
    return (*setup.body)(setup.rank);
  } catch (const ExecError& error) {
    send_exec_error(setup.report, error.failure());
    return kCannotStart;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
  } catch (...) {
    std::fputs("an exception that is no std::exception\n", stderr);
  }
  return kExitFailed;
}

}  // namespace

void run_child(const ChildSetup& setup) {
  end_with_launcher(setup.launcher);
  connect_streams(setup);
  close_all_but(setup.keep);
  wait_at_gate(setup.gate);
  open_for_exec(setup.inherited);
  setrlimit(RLIMIT_NOFILE, &setup.files);
  environ = setup.environment;
  CaughtSignals::restore_in_child();
  pthread_sigmask(SIG_SETMASK, &setup.mask, nullptr);
  const int status = run_body(setup);
  std::cout.flush();
  std::fflush(nullptr);
  _exit(status);
}

std::optional<Failure> receive_exec_error(Fd& report) {
  std::array<char, PIPE_BUF> buffer{};
  const ssize_t count = report ? read_some(report.get(), buffer) : -1;
  if (count == 0) report.reset();
  if (count <= 0) return std::nullopt;
  const std::string_view all(buffer.data(), idx(count));
  const std::string_view first = all.substr(0, all.find(kEndOfMessage));
  const auto middle = first.find(kHintFollows);
  Failure failure;
  failure.what = first.substr(0, middle);
  if (middle != std::string_view::npos) failure.hint = first.substr(middle + 1);
  return failure;
}

}  // namespace trireme::launch
