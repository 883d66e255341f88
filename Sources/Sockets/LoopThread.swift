import Glibc

/// A thread that can be joined.
struct LoopThread: @unchecked Sendable {
    // A pthread_t is a plain handle; join is called once, by the server that made the thread.
    private let thread: pthread_t

    /// Runs `body` on a thread of its own.
    init(_ body: @escaping @Sendable () -> Void) throws(SocketError) {
        final class Box {
            let body: @Sendable () -> Void
            init(_ body: @escaping @Sendable () -> Void) { self.body = body }
        }
        let box = Unmanaged.passRetained(Box(body))
        var thread = pthread_t()
        let result = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().body()
                return nil
            }, box.toOpaque())
        self.thread = thread
        if result != 0 {
            box.release()
            throw SocketError(operation: "start", subject: "loop thread", number: result)
        }
    }

    func join() { pthread_join(thread, nil) }
}
