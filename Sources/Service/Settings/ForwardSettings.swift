import Curl
import Database
import Engine

/// Where and how batches are handed over (docs/scale.md, Settings). Durations in milliseconds.
package struct ForwardSettings: Sendable {
    /// The replicas of each shard.
    package let shards: [[ServerAddress]]
    package let user: String
    /// Nil: there is no password.
    package let passwordFile: String?
    package let database: String
    /// This node's name.
    package let node: String
    /// A unit waits at most so long for more.
    package let interval: Int64
    /// For one request.
    package let timeout: Int64
    /// How long what was handed over is kept; nil: for ever.
    package let spoolRetention: Int64?
    /// Bytes of bodies that are not handed over; nil: as many as come.
    package let maxSpoolBytes: Int64?

    /// How the engine is reached. Reads the password's file.
    /// - Throws: `AdminFailure` where there is none, or it is no line
    package func access() throws(AdminFailure) -> EngineAccess {
        EngineAccess(
            shards: shards, user: user, password: try password(), database: database,
            timeout: Int(timeout))
    }

    private func password() throws(AdminFailure) -> String {
        guard let passwordFile else { return "" }
        let bytes: [UInt8]
        do throws(StorageError) {
            bytes = try FileSystem.openRegular(passwordFile).read(limit: Self.maxPassword + 6)
        } catch {
            throw AdminFailure(
                .configuration, "cannot read the file of setting forward-password-file: \(error)")
        }
        // Editors on Windows put a mark before a text, and CR before LF.
        var line = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
        if line.last == 0x0A { line.removeLast() }
        if line.last == 0x0D { line.removeLast() }
        guard line.count <= Self.maxPassword, line.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw AdminFailure(
                .configuration,
                "the file \(passwordFile) of setting forward-password-file is not one line of up to "
                    + "\(Self.maxPassword) octets")
        }
        return String(decoding: line, as: UTF8.self)
    }

    private static let maxPassword = 1024
}
