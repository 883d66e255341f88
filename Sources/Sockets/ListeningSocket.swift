import CLinux
import Glibc

/// A socket that listens, non-blocking and close-on-exec.
struct ListeningSocket: Sendable {
    let descriptor: Int32
    /// Where it listens, with the port that was taken.
    let address: String
    /// Connections get TCP_NODELAY.
    let isTCP: Bool
    /// It was handed to the process: the one that did so may listen on it too.
    let isInherited: Bool
    private let unixPath: String?
    private let unixNode: UInt64

    /// Opens a listener.
    /// - Parameter unixMode: the permissions of a local socket.
    /// - Throws: `SocketError` with everything closed again.
    init(_ listen: ListenAddress, backlog: Int32, unixMode: UInt32) throws(SocketError) {
        let subject = listen.description
        func error(_ operation: StaticString, _ number: Int32) -> SocketError {
            SocketError(operation: operation, subject: subject, number: number)
        }
        if case .inherited(let descriptor) = listen {
            guard clinux_set_nonblocking(descriptor) == 0,
                clinux_set_close_on_exec(descriptor) == 0
            else { throw error("adopt", errno) }
            self.descriptor = descriptor
            address = SocketAddress.local(descriptor) ?? subject
            isTCP = !address.hasPrefix("unix:")
            isInherited = true
            unixPath = nil
            unixNode = 0
            return
        }
        guard var target = SocketAddress(listen) else { throw error("parse", EINVAL) }
        let kind = Int32(SOCK_STREAM.rawValue)
        let descriptor = socket(target.family, kind, 0)
        guard descriptor >= 0 else { throw error("open a socket for", errno) }
        do throws(SocketError) {
            guard clinux_set_nonblocking(descriptor) == 0,
                clinux_set_close_on_exec(descriptor) == 0
            else { throw error("prepare", errno) }
            SystemCalls.setOption(descriptor, SOL_SOCKET, SO_REUSEADDR)
            if target.family == AF_INET6 {
                // An IPv4 listener on the same port is a line of its own in the settings.
                SystemCalls.setOption(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY)
            }
            if case .unix(let path) = listen { try Self.removeStale(path, &target, error) }
            guard target.bind(descriptor) == 0 else { throw error("listen on", errno) }
            if case .unix(let path) = listen {
                guard chmod(path, mode_t(unixMode)) == 0 else {
                    throw error("set the mode of", errno)
                }
                clinux_follow_owner(path, Self.folder(of: path))
            }
            guard beginListening(descriptor, backlog) == 0 else { throw error("listen on", errno) }
        } catch {
            SystemCalls.close(descriptor)
            throw error
        }
        self.descriptor = descriptor
        address = SocketAddress.local(descriptor) ?? subject
        isTCP = target.family != AF_UNIX
        isInherited = false
        if case .unix(let path) = listen {
            unixPath = path
            unixNode = Self.node(path)
        } else {
            unixPath = nil
            unixNode = 0
        }
    }

    /// Removes the file of a local socket, unless another has taken its place. The descriptor is
    /// closed by `LoopListener.close`.
    func removeFile() {
        if let unixPath, Self.node(unixPath) == unixNode { unlink(unixPath) }
    }

    /// A socket file that nobody listens on is what a crash left; anything else stays.
    private static func removeStale(
        _ path: String, _ target: inout SocketAddress,
        _ error: (StaticString, Int32) -> SocketError
    ) throws(SocketError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else { throw error("listen on", EEXIST) }
        let probe = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard probe >= 0 else { throw error("open a socket for", errno) }
        defer { SystemCalls.close(probe) }
        _ = clinux_set_nonblocking(probe)
        if target.connect(probe) == 0 || errno != ECONNREFUSED {
            throw error("listen on", EADDRINUSE)
        }
        guard unlink(path) == 0 else { throw error("replace", errno) }
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func node(_ path: String) -> UInt64 {
        var status = stat()
        return lstat(path, &status) == 0 ? UInt64(status.st_ino) : 0
    }
}

/// `listen` by another name: inside an initialiser with a parameter `listen` it is hidden.
private func beginListening(_ descriptor: Int32, _ backlog: Int32) -> Int32 {
    listen(descriptor, backlog)
}

/// A listener as its loop has it.
struct LoopListener: Sendable {
    let socket: ListeningSocket
    /// The index of its group.
    let group: Int
    /// It is watched; not so while its group is full, or while descriptors are short.
    var isWatched = false

    init(socket: ListeningSocket, group: Int) {
        self.socket = socket
        self.group = group
    }

    /// Closes the socket and removes its file.
    func close() {
        socket.removeFile()
        SystemCalls.close(socket.descriptor)
    }
}

/// A listening socket that was handed to the process.
package struct InheritedSocket: Sendable, Equatable {
    package let descriptor: Int32
    /// Where it listens, as `ListenAddress.canonical` writes it.
    package let address: String

    /// - Throws: `SocketError` where the descriptor is no stream socket that listens.
    package init(_ descriptor: Int32) throws(SocketError) {
        let stream = Int32(SOCK_STREAM.rawValue)
        guard try Self.option(SO_TYPE, of: descriptor) == stream,
            try Self.option(SO_ACCEPTCONN, of: descriptor) != 0,
            let address = SocketAddress.local(descriptor)
        else { throw Self.error(descriptor, EINVAL) }
        self.descriptor = descriptor
        self.address = address
    }

    private static func option(
        _ option: Int32, of descriptor: Int32
    ) throws(SocketError) -> Int32 {
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, option, &value, &length) == 0 else {
            throw error(descriptor, errno)
        }
        return value
    }

    private static func error(_ descriptor: Int32, _ number: Int32) -> SocketError {
        SocketError(operation: "listen on", subject: "descriptor \(descriptor)", number: number)
    }
}
