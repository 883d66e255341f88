import Glibc

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
