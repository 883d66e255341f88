/// What a journal asks of the folder that it lies in: a folder of the system's, or one in memory. Names are
/// of files in the folder.
///
/// A call that throws has done nothing that a later one would miss, but for `append`, which may have
/// written a part, and `replace`.
package protocol Disk {
    /// An open file or lock, which the caller closes.
    associatedtype Handle

    /// Makes the folder, and those above it, where it is not there.
    func makeFolder() throws(DiskFailure)

    /// The folder's own lock, which a step holds; waits for another process that has it.
    func lockFolder() throws(DiskFailure) -> Handle

    /// A lock of this name; nil where another process has it, or there is none to be had.
    func lock(_ name: String) -> Handle?

    /// Names in the folder, in any order.
    func names() throws(DiskFailure) -> [String]

    /// Whether a file is there.
    func exists(_ name: String) -> Bool

    /// All bytes of a file; nil where it is not there.
    func content(_ name: String) throws(DiskFailure) -> [UInt8]?

    /// All bytes of a file that another process may append to.
    func contentUnlessHeld(_ name: String) throws(DiskFailure) -> Held

    /// Replaces a file whole, on the disk when this returns, its name included. Where it throws, either of
    /// the two may stand.
    func replace(_ name: String, with bytes: [UInt8]) throws(DiskFailure)

    /// Removes a file.
    /// - Returns: whether it is gone, be it that it was not there.
    func remove(_ name: String) -> Bool

    /// A new file that is appended to, and held until it is closed.
    func create(_ name: String) throws(DiskFailure) -> Handle

    /// Writes all bytes at the file's end.
    func append(_ bytes: [UInt8], to file: Handle) throws(DiskFailure)

    /// Bytes of a file that is appended to.
    func size(of file: Handle) -> Int

    /// Cuts a file back.
    func truncate(_ file: Handle, to size: Int) throws(DiskFailure)

    /// What was appended is on the disk when this returns.
    func sync(_ file: Handle) throws(DiskFailure)

    /// The same, by name.
    func sync(_ name: String) throws(DiskFailure)

    /// Closes a file, and gives back a lock.
    func close(_ file: Handle)
}

/// What is found of a file that another process may hold.
package enum Held: Sendable, Equatable {
    case free([UInt8])
    /// Another process appends to it, or it cannot be read now.
    case held
}

/// A call that failed, as one line of a log: what was done and the system's reason. Names are of the
/// client's own files.
package struct DiskFailure: Error, Equatable {
    /// As `cannot write: No space left on device`.
    package let reason: String

    package init(_ reason: String) { self.reason = reason }
}
