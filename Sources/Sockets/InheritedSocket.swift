import Glibc

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
