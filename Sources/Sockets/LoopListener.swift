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
