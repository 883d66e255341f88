@testable import Core

/// A process's view of a folder in memory. Each call is an operation of the process, which may be killed
/// before it or within it, or see it fail.
struct MemoryDisk: Disk {
    /// An open file; nil for the folder itself.
    struct Handle { let file: MemoryFolder.File? }

    let folder: MemoryFolder
    let process: SimulatedProcess

    private static let absent = DiskFailure("cannot open a file: No such file or directory")

    /// Lets an operation happen, or not.
    private func begin(changes: Bool = false, needsRoom: Bool = false) throws(DiskFailure) {
        try process.begin(changes: changes, needsRoom: needsRoom)
    }

    private func isAllowed(changes: Bool = false, needsRoom: Bool = false) -> Bool {
        do throws(DiskFailure) {
            try process.begin(changes: changes, needsRoom: needsRoom)
            return true
        } catch {
            return false
        }
    }

    private func file(_ name: String) throws(DiskFailure) -> MemoryFolder.File {
        guard let file = folder.files[name] else { throw Self.absent }
        return file
    }

    // MARK: The folder

    func makeFolder() throws(DiskFailure) {
        try begin(needsRoom: !folder.isThere)
        folder.make()
    }

    func names() throws(DiskFailure) -> [String] {
        try begin()
        guard folder.isThere else { throw Self.absent }
        return Array(folder.files.keys)
    }

    func exists(_ name: String) -> Bool {
        process.beginUnfailing()
        return folder.files[name] != nil
    }

    // MARK: Locks

    func lockFolder() throws(DiskFailure) -> Handle {
        try begin()
        guard folder.isThere else { throw Self.absent }
        guard folder.holder != process.id else { throw DiskFailure("it has the lock itself") }
        while folder.holder != nil { try process.wait() }
        folder.holder = process.id
        return Handle(file: nil)
    }

    func lock(_ name: String) -> Handle? {
        guard isAllowed(needsRoom: folder.files[name] == nil), folder.isThere else { return nil }
        let file = folder.files[name] ?? MemoryFolder.File()
        folder.put(file, at: name)
        guard file.holder == nil else { return nil }
        file.holder = process.id
        return Handle(file: file)
    }

    // MARK: Whole files

    func content(_ name: String) throws(DiskFailure) -> [UInt8]? {
        try begin()
        return folder.files[name]?.written
    }

    func contentUnlessHeld(_ name: String) throws(DiskFailure) -> Held {
        try begin()
        guard let file = folder.files[name], file.holder == nil else { return .held }
        return .free(file.written)
    }

    func replace(_ name: String, with bytes: [UInt8]) throws(DiskFailure) {
        let file = MemoryFolder.File(bytes, synced: bytes)
        try process.begin(needsRoom: true) { share in
            // Between the new file and its rename, or between that and the sync of the folder.
            if share < 1 {
                folder.put(MemoryFolder.File(bytes), at: name + ".new")
            } else {
                folder.put(file, at: name)
            }
        }
        guard folder.isThere else { throw Self.absent }
        folder.remove(name + ".new")
        folder.put(file, at: name)
        folder.commit()
    }

    func remove(_ name: String) -> Bool {
        guard isAllowed(changes: true) else { return false }
        folder.remove(name)
        return true
    }

    // MARK: A file that is appended to

    func create(_ name: String) throws(DiskFailure) -> Handle {
        try begin(needsRoom: true)
        guard folder.isThere, folder.files[name] == nil else {
            throw DiskFailure("cannot create a segment")
        }
        let file = MemoryFolder.File()
        file.holder = process.id
        folder.put(file, at: name)
        return Handle(file: file)
    }

    func append(_ bytes: [UInt8], to file: Handle) throws(DiskFailure) {
        try process.begin(needsRoom: true) { share in
            file.file?.written += bytes.prefix(Int(Double(bytes.count) * share))
        }
        file.file?.written += bytes
    }

    func size(of file: Handle) -> Int {
        process.beginUnfailing()
        return file.file?.written.count ?? 0
    }

    func truncate(_ file: Handle, to size: Int) throws(DiskFailure) {
        try begin(changes: true)
        guard let file = file.file else { return }
        file.written.removeLast(file.written.count - size)
    }

    func sync(_ file: Handle) throws(DiskFailure) {
        try begin(changes: true)
        if let file = file.file { sync(file) }
    }

    func sync(_ name: String) throws(DiskFailure) {
        try begin(changes: true)
        sync(try file(name))
    }

    private func sync(_ file: MemoryFolder.File) {
        file.synced = file.written
        folder.commit()
    }

    func close(_ file: Handle) {
        process.beginUnfailing()
        guard !process.isDead else { return }
        if let file = file.file {
            file.holder = nil
        } else {
            folder.holder = nil
        }
    }
}
