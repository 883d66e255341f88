import Glibc
import Service
import Synchronization

/// A descriptor that is printed to, whole, through short writes and signals.
final class FileOutput: TextOutput {
    private let descriptor: Int32
    /// `errno` of the first error, zero before; nothing is written after it.
    private let failure = Atomic<Int32>(0)

    init(descriptor: Int32) { self.descriptor = descriptor }

    var isTerminal: Bool { isatty(descriptor) == 1 }

    func write(_ text: String) { write(Array(text.utf8)) }

    func write(_ bytes: [UInt8]) {
        guard failure.load(ordering: .relaxed) == 0 else { return }
        bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let part = UnsafeRawBufferPointer(rebasing: rest)
                let count = Glibc.write(descriptor, part.baseAddress, part.count)
                if count > 0 {
                    rest = rest.dropFirst(count)
                } else if errno != EINTR {
                    failure.store(errno, ordering: .relaxed)
                    return
                }
            }
        }
    }

    /// - Throws: `io` where something could not be written, but for a reader that has gone
    func check() throws(AdminFailure) {
        let code = failure.load(ordering: .relaxed)
        guard code != 0, code != EPIPE else { return }
        let reason = String(cString: strerror(code)).lowercased()
        throw AdminFailure(.io, "cannot write the output: \(reason)")
    }
}
