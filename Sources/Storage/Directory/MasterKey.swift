import Database
import Sealing

/// 32 random bytes from which everything secret in a data directory follows. A new one would make
/// every device new, so it is made only where there is no database (docs/operation.md, The data
/// directory).
package struct MasterKey: Sendable {
    /// Bytes of a key file.
    package static let count = 32

    /// The key of the HMAC that turns raw device ids into what is stored, 32 bytes.
    package let pepper: [UInt8]
    /// Wraps ingest keys at rest, 32 bytes.
    package let wrappingKey: [UInt8]
    /// The key of the digests by which repeats are looked for, 32 bytes.
    let repeatKey: [UInt8]
    /// By which a database recognises the key it was made with, 32 bytes; reveals nothing about the
    /// others.
    let checkValue: [UInt8]
    /// The same for an engine that nodes of one master key share.
    package let engineCheck: [UInt8]

    /// - Parameter bytes: exactly 32.
    init(bytes: [UInt8]) {
        func derive(_ purpose: String) -> [UInt8] {
            let info = Array("sojourn \(purpose)".utf8)
            let none: [UInt8] = []
            return HKDF.sha256(secret: bytes.span, salt: none.span, info: info.span, count: 32)
        }
        pepper = derive("pepper")
        wrappingKey = derive("key wrapping")
        repeatKey = derive("repeat digest")
        checkValue = derive("key check")
        engineCheck = derive("engine check")
    }

    /// The key in the file at `path`.
    /// - Parameter database: what was made with it, for the message.
    /// - Throws: `keyMissing`, `keyMalformed`.
    package static func read(_ path: String, of database: String) throws(StorageError) -> MasterKey
    {
        guard try FileSystem.status(of: path) != nil else {
            throw .keyMissing(path: path, database: database)
        }
        let bytes = try contents(of: path)
        guard bytes.count == count else { throw .keyMalformed(path: path) }
        return MasterKey(bytes: bytes)
    }

    /// The bytes of a key's file, and one more where there are more than a key has.
    package static func contents(of path: String) throws(StorageError) -> [UInt8] {
        try FileSystem.openRegular(path).read(limit: count + 1)
    }

    /// The key at `path`, made if there is none. Only for directories without a database.
    package static func readOrMake(_ path: String, of database: String) throws(StorageError)
        -> MasterKey
    {
        if try FileSystem.status(of: path) == nil {
            try place(RandomBytes.make(count), at: path)
        }
        return try read(path, of: database)
    }

    /// Writes a key under a temporary name, syncs it, then links it to its name: whoever finds the
    /// name finds a whole key, and of two processes that do this at once one key remains.
    package static func place(_ bytes: [UInt8], at path: String) throws(StorageError) {
        let draft = path + "." + Hex.encode(RandomBytes.make(8).span)
        do throws(StorageError) {
            let file = try FileSystem.create(draft)
            try file.write(bytes)
            try file.sync()
            _ = try FileSystem.link(draft, as: path)
        } catch {
            try? FileSystem.remove(draft)
            throw error
        }
        try FileSystem.remove(draft)
        try FileSystem.syncDirectory(FileSystem.parent(of: path))
    }
}
