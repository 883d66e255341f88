import CLinux
import Glibc

/// System calls of the event loop, each through one function that retries `EINTR`.
enum SystemCalls {
    /// Overwrites memory, also where nobody reads it any more.
    static func overwrite(_ bytes: UnsafeMutablePointer<UInt8>, _ count: Int) {
        explicit_bzero(bytes, count)
    }

    /// What a call on a non-blocking descriptor came to.
    enum Outcome: Equatable {
        case done(Int)
        case wouldBlock
        case failed(Int32)
    }

    static func read(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer, _ count: Int)
        -> Outcome
    {
        retrying { recv(descriptor, buffer, count, 0) }
    }

    /// Without SIGPIPE: a client that went away is an error of this call and nothing else.
    static func write(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Outcome {
        retrying { send(descriptor, bytes, count, Int32(MSG_NOSIGNAL)) }
    }

    /// `true` if there are bytes to be read, or the end, or an error.
    static func isReadable(_ descriptor: Int32) -> Bool {
        clinux_ready(descriptor) & UInt32(CLINUX_READABLE | CLINUX_FAILED) != 0
    }

    /// A new connection's descriptor, non-blocking and close-on-exec.
    static func accept(_ descriptor: Int32) -> Outcome {
        retrying { Int(clinux_accept(descriptor)) }
    }

    /// Never retried: after `EINTR` the descriptor is gone, and its number may be another's.
    static func close(_ descriptor: Int32) {
        _ = Glibc.close(descriptor)
    }

    static func shutdownWriting(_ descriptor: Int32) {
        _ = shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Whether `close`, and the end of the process, is a reset. Not of local sockets, which know none.
    static func setResetOnClose(_ descriptor: Int32, _ isReset: Bool) {
        var option = linger(l_onoff: isReset ? 1 : 0, l_linger: 0)
        _ = setsockopt(
            descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    static func setCloseOnExec(_ descriptor: Int32) {
        _ = clinux_set_close_on_exec(descriptor)
    }

    static func setOption(_ descriptor: Int32, _ level: Int32, _ option: Int32) {
        var on: Int32 = 1
        _ = setsockopt(descriptor, level, option, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    @inline(__always)
    private static func retrying(_ call: () -> Int) -> Outcome {
        while true {
            let result = call()
            if result >= 0 { return .done(result) }
            let number = errno
            if number == EINTR { continue }
            return number == EAGAIN || number == EWOULDBLOCK ? .wouldBlock : .failed(number)
        }
    }
}

/// A system call on a socket that failed: what, with what, and the system's reason.
package struct SocketError: Error, CustomStringConvertible, Sendable {
    /// What was done, such as `listen on`.
    package var operation: StaticString
    /// What it was done with, such as an address.
    package var subject: String
    /// `errno`.
    package var number: Int32

    /// `cannot listen on 127.0.0.1:80: permission denied (13)`
    package var description: String {
        let reason = String(cString: strerror(number)).lowercased()
        return "cannot \(operation) \(subject): \(reason) (\(number))"
    }
}
