/// The folder of a client, in memory.
package final class MemoryFolder {
    /// What a name stands for.
    package final class File {
        var bytes: [UInt8] = []
        /// Somebody appends to it, or has it as a lock.
        var isHeld = false

        init(_ bytes: [UInt8] = []) { self.bytes = bytes }
    }

    var files: [String: File] = [:]

    /// An empty one.
    package init() {}

    /// Another folder with the same files.
    package func copy() -> MemoryFolder {
        let copy = MemoryFolder()
        copy.files = files.mapValues { File($0.bytes) }
        return copy
    }

    /// The process that used it has ended.
    package func release() {
        for file in files.values { file.isHeld = false }
    }
}
