/// A folder in memory that several simulated processes may have: what each file holds, and what of it is
/// left after a power cut.
///
/// A sync or a replaced file puts all that was done to the folder's names before it on the disk, as a
/// journaling file system does: a removed file does not come back, a new one is there with what was
/// synced of it.
final class MemoryFolder {
    /// What a name stands for; open files keep theirs when the name goes.
    final class File {
        var written: [UInt8]
        var synced: [UInt8]
        /// The process that has its lock.
        var holder: Int?

        init(_ written: [UInt8] = [], synced: [UInt8] = []) {
            self.written = written
            self.synced = synced
        }
    }

    /// Whether the folder is there.
    private(set) var isThere = false
    /// The process that has the folder's own lock.
    var holder: Int?
    private(set) var files: [String: File] = [:]
    /// The names that a power cut leaves.
    private var durable: [String: File] = [:]

    func make() { isThere = true }

    func put(_ file: File, at name: String) { files[name] = file }

    func remove(_ name: String) { files[name] = nil }

    /// What was done to the names is on the disk.
    func commit() { durable = files }

    /// Bytes of all files.
    var size: Int { files.values.reduce(0) { $0 + $1.written.count } }

    // MARK: What happens to a folder

    /// A process ends: its locks are free.
    func release(_ process: Int) {
        if holder == process { holder = nil }
        for file in files.values where file.holder == process { file.holder = nil }
    }

    /// The power is cut: what was not synced is gone.
    func cutPower() {
        holder = nil
        files = durable.mapValues { File($0.synced, synced: $0.synced) }
        durable = files
    }

    /// The folder is deleted by somebody else.
    func delete() {
        files = [:]
        durable = [:]
        isThere = false
    }

    /// Another folder with the same files, nobody's.
    func copy() -> MemoryFolder {
        let copy = MemoryFolder()
        copy.isThere = isThere
        copy.files = files.mapValues { File($0.written, synced: $0.written) }
        copy.commit()
        return copy
    }
}
