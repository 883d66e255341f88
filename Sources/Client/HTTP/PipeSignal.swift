import Glibc

/// Keeps `SIGPIPE` from ending the program while libcurl writes to a connection that the server has
/// closed. TLS libraries write without `MSG_NOSIGNAL`, and libcurl's own protection is off where it
/// may not use signals. Only this thread's mask is changed: what `SIGPIPE` means to the program, as
/// when its output goes into a pipe, is not a client's to decide.
enum PipeSignal {
    /// Runs `body` and swallows a `SIGPIPE` that it caused.
    static func withheld<Result>(_ body: () -> Result) -> Result {
        var pipe = sigset_t()
        var before = sigset_t()
        var pending = sigset_t()
        sigemptyset(&pipe)
        sigaddset(&pipe, SIGPIPE)
        sigpending(&pending)
        let wasPending = sigismember(&pending, SIGPIPE) == 1
        guard pthread_sigmask(SIG_BLOCK, &pipe, &before) == 0 else { return body() }
        defer {
            if !wasPending {
                var now = timespec()
                while sigtimedwait(&pipe, nil, &now) < 0, errno == EINTR {}
            }
            pthread_sigmask(SIG_SETMASK, &before, nil)
        }
        return body()
    }
}
