import Database
import Sealing
import Storage

/// A file's length and SHA-256, as a manifest has them.
struct FileDigest: Sendable, Equatable {
    let bytes: Int
    let sha256: Digest256

    private static let piece = 1 << 20

    /// Reads a file from its begin to its end.
    /// - Parameter step: gets each megabyte and where it begins; may throw to end it.
    static func read(
        _ path: String, step: (ArraySlice<UInt8>, Int) throws(StorageError) -> Void = { _, _ in }
    ) throws(StorageError) -> FileDigest {
        let file = try FileSystem.open(path, 0)
        var stream = SHA256Stream()
        var octets = [UInt8](repeating: 0, count: piece)
        var place = 0
        while true {
            let count = try file.read(into: &octets, at: place)
            if count == 0 { break }
            octets.withUnsafeBytes {
                stream.add(UnsafeRawBufferPointer(rebasing: $0[..<count]))
            }
            try step(octets[..<count], place)
            place += count
        }
        return FileDigest(bytes: place, sha256: stream.digest)
    }
}
