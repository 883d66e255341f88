/// A folder in memory as the client's journal sees it. It never fails, and one process uses it at a time.
package struct MemoryDisk: Disk {
    /// An open file; nil for the folder itself.
    package typealias Handle = MemoryFolder.File?

    let folder: MemoryFolder

    private static let absent = DiskFailure("cannot open a file: No such file or directory")

    package func makeFolder() {}
    package func names() -> [String] { Array(folder.files.keys) }
    package func exists(_ name: String) -> Bool { folder.files[name] != nil }
    package func content(_ name: String) -> [UInt8]? { folder.files[name]?.bytes }
    package func lockFolder() -> Handle { nil }

    package func lock(_ name: String) -> Handle? {
        let file = folder.files[name] ?? MemoryFolder.File()
        guard !file.isHeld else { return nil }
        folder.files[name] = file
        file.isHeld = true
        return .some(file)
    }

    package func contentUnlessHeld(_ name: String) -> Held {
        guard let file = folder.files[name], !file.isHeld else { return .held }
        return .free(file.bytes)
    }

    package func replace(_ name: String, with bytes: [UInt8]) {
        folder.files[name] = MemoryFolder.File(bytes)
    }

    package func remove(_ name: String) -> Bool {
        folder.files[name] = nil
        return true
    }

    package func create(_ name: String) throws(DiskFailure) -> Handle {
        guard folder.files[name] == nil else { throw DiskFailure("cannot create a segment") }
        let file = MemoryFolder.File()
        file.isHeld = true
        folder.files[name] = file
        return file
    }

    package func append(_ bytes: [UInt8], to file: Handle) throws(DiskFailure) {
        guard let file else { throw Self.absent }
        file.bytes += bytes
    }

    package func size(of file: Handle) -> Int { file?.bytes.count ?? 0 }

    package func truncate(_ file: Handle, to size: Int) {
        guard let file, file.bytes.count > size else { return }
        file.bytes.removeLast(file.bytes.count - size)
    }

    package func sync(_ file: Handle) {}
    package func sync(_ name: String) {}
    package func close(_ file: Handle) { file?.isHeld = false }
}
