import Database
import Sealing
import Storage

/// `manifest.json` of a backup: what is in it, and when it was made. It is written last, so a folder
/// without one is no whole backup.
package struct BackupManifest: Sendable, Equatable {
    static let name = "manifest.json"
    private static let format: Int64 = 1
    /// Bytes that a manifest has at most; one has some 600.
    private static let maxBytes = 65_536

    /// A file of the backup.
    enum File: String, CaseIterable, Sendable {
        case database = "sojourn.db"
        case erased
        case masterKey = "master.key"
    }

    /// Milliseconds since 1970-01-01T00:00:00Z: the state of the database is this moment's.
    package var createdAt: Int64
    /// The program's version.
    package var program: String
    /// The schema's version.
    package var schema: Int64
    /// How many there are in it.
    package var batches: Int64
    package var events: Int64
    package var devices: Int64
    var files: [File: FileDigest] = [:]

    /// Bytes of all files.
    package var bytes: Int { files.values.reduce(0) { $0 + $1.bytes } }
    /// Whether the master key is in it.
    package var hasKey: Bool { files[.masterKey] != nil }

    /// JSON, one member a line. No value comes from a device.
    var text: String {
        let rows = File.allCases.compactMap { file in
            files[file].map {
                #"    {"name": "\#(file.rawValue)", "bytes": \#($0.bytes), "sha256": "\#($0.sha256.hex)"}"#
            }
        }
        return """
            {
              "format": \(Self.format),
              "created_at": \(createdAt),
              "program": "\(program)",
              "schema": \(schema),
              "batches": \(batches),
              "events": \(events),
              "devices": \(devices),
              "files": [
            \(rows.joined(separator: ",\n"))
              ]
            }

            """
    }
}

extension BackupManifest {
    /// Reads the manifest of the backup in a folder.
    /// - Throws: `badBackup`.
    package static func read(in folder: String) throws(StorageError) -> BackupManifest {
        let path = folder + "/" + name
        guard let status = try FileSystem.status(of: path) else {
            throw .badBackup(path: folder, found: "it has no \(name)")
        }
        let kind = FileKind(status)
        guard kind == .regular else {
            throw .badBackup(path: path, found: "it is \(kind.rawValue)")
        }
        let bytes = try FileSystem.openRegular(path).read(limit: maxBytes + 1)
        guard bytes.count <= maxBytes else {
            throw .badBackup(path: path, found: "it has more than \(maxBytes) bytes")
        }
        // The one JSON parser that is here is SQLite's, whose texts may end with a zero.
        guard !bytes.contains(0) else {
            throw .badBackup(path: path, found: "it is no JSON object")
        }
        let connection = try Connection(path: ":memory:", mode: .memory)
        for question in ["json_valid(?1)", "json_type(?1) = 'object'"] {
            let answer = try connection.prepare("SELECT \(question)")
            try answer.bindText(1, bytes)
            guard try answer.step(), answer.int(0) == 1 else {
                throw .badBackup(path: path, found: "it is no JSON object")
            }
        }
        // Of two values one would be believed, and nobody knows which.
        let repeats = try connection.prepare(
            """
            SELECT count(*) FROM (
                SELECT 1 FROM json_tree(?1) WHERE parent IS NOT NULL
                GROUP BY parent, key HAVING count(*) > 1)
            """)
        try repeats.bindText(1, bytes)
        guard try repeats.step(), repeats.int(0) == 0 else {
            throw .badBackup(path: path, found: "a member is there twice")
        }
        return try parse(bytes, path: path, connection)
    }

    private static func parse(
        _ bytes: [UInt8], path: String, _ connection: Connection
    ) throws(StorageError) -> BackupManifest {
        let row = try connection.prepare(
            """
            SELECT ?1 ->> 'format', ?1 ->> 'created_at', ?1 ->> 'program', ?1 ->> 'schema',
                ?1 ->> 'batches', ?1 ->> 'events', ?1 ->> 'devices'
            """)
        try row.bindText(1, bytes)
        guard try row.step(), row.int(0) == format else {
            throw .badBackup(path: path, found: "its format is not \(format)")
        }
        for column: Int32 in 1..<7 where row.isNull(column) {
            throw .badBackup(path: path, found: "a member is not there")
        }
        var manifest = BackupManifest(
            createdAt: row.int(1), program: row.text(2), schema: row.int(3), batches: row.int(4),
            events: row.int(5), devices: row.int(6))
        let files = try connection.prepare(
            """
            SELECT value ->> 'name', value ->> 'bytes', value ->> 'sha256'
            FROM json_each(?1, '$.files')
            """)
        try files.bindText(1, bytes)
        while try files.step() {
            guard let file = File(rawValue: files.text(0)), let bytes = Int(exactly: files.int(1)),
                bytes >= 0,
                let sha256 = Hex.decode(files.text(2).utf8.span),
                let digest = Digest256(bytes: sha256.span), manifest.files[file] == nil
            else { throw .badBackup(path: path, found: "an entry of files makes no sense") }
            manifest.files[file] = FileDigest(bytes: bytes, sha256: digest)
        }
        for file in [File.database, .erased] where manifest.files[file] == nil {
            throw .badBackup(path: path, found: "it does not name \(file.rawValue)")
        }
        return manifest
    }
}

/// A file's length and SHA-256, as a manifest has them.
struct FileDigest: Sendable, Equatable {
    let bytes: Int
    let sha256: Digest256

    private static let piece = 1 << 20

    /// Reads a regular file from its begin to its end.
    /// - Parameters:
    ///   - limit: bytes that it has at most: of a longer one no more are handed on, and the digest is that of another
    ///     length
    ///   - step: gets each megabyte and where it begins; may throw to end it.
    static func read(
        _ path: String, limit: Int = .max,
        step: (ArraySlice<UInt8>, Int) throws(StorageError) -> Void = { _, _ in }
    ) throws(StorageError) -> FileDigest {
        let file = try FileSystem.openRegular(path)
        var stream = SHA256Stream()
        var bytes = [UInt8](repeating: 0, count: piece)
        var offset = 0
        while true {
            let count = try file.read(into: &bytes, at: offset)
            if count == 0 { break }
            guard count <= limit - offset else {
                return FileDigest(bytes: offset + count, sha256: stream.digest)
            }
            bytes.withUnsafeBytes {
                stream.add(UnsafeRawBufferPointer(rebasing: $0[..<count]))
            }
            try step(bytes[..<count], offset)
            offset += count
        }
        return FileDigest(bytes: offset, sha256: stream.digest)
    }
}
