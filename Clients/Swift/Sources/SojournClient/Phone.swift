import Core
import Foundation

#if canImport(CryptoKit)
import CryptoKit
#elseif canImport(Crypto)
import Crypto
#endif

#if canImport(CCurl)
private typealias SystemPoster = CurlPoster
#else
private typealias SystemPoster = Poster
#endif

/// What the state machine runs in here: the system's clocks and randomness, CryptoKit and URLSession.
final class Phone: Surroundings {
    typealias Folder = FolderDisk

    private let sealer: Sealer
    private let url: URL
    private let limit: Double
    private let poster = SystemPoster()
    private let group: GroupFolder?
    /// The latest attempt.
    private var latest: (attempt: Int, posting: SystemPoster.Posting)?
    private let line: @Sendable (String) -> Void
    private let tell: @Sendable (Int, Reply) -> Void
    private let off: @Sendable () -> Void
    /// Of app, key, token and server, so that another one ends a hold; never 0.
    let fingerprint: UInt64

    /// Takes what is needed to post; nil where it is not that.
    ///
    /// - Parameters:
    ///   - tell: Called with what came of an attempt, from any thread.
    ///   - off: Called where the user wants nothing recorded.
    init?(
        _ configuration: Configuration, tell: @escaping @Sendable (Int, Reply) -> Void,
        off: @escaping @Sendable () -> Void
    ) {
        var server = configuration.server
        while server.hasSuffix("/") { server.removeLast() }
        let query = configuration.limits.isDebug ? "?dry_run=1" : ""
        guard let sealer = Sealer(configuration.key), !configuration.app.isEmpty,
            let url = URL(string: "\(server)/v1/apps/\(configuration.app)/batches\(query)"),
            url.scheme == "https" || url.scheme == "http", url.host != nil
        else { return nil }
        self.sealer = sealer
        group = configuration.groupFolder.map { GroupFolder($0, protect: Storage.protect) }
        self.url = url
        // The machine gives an attempt up first.
        limit = Double(configuration.limits.attempt) / 1000 + 1
        line = configuration.log
        self.tell = tell
        self.off = off
        let parts = [server, configuration.app] + configuration.key.parts
        let digest = SHA256.hash(data: Data(parts.joined(separator: "\n").utf8))
        fingerprint = max(1, digest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
    }

    var monotonic: Int64 { SystemClock.monotonic() }
    var wall: Int64 { SystemClock.wall() }

    func random() -> UInt64 { .random(in: .min ... .max) }

    func excess(of text: [UInt8]) -> Double { sealer.excess(text) }
    func seal(_ text: [UInt8]) -> [UInt8]? { sealer.seal(text) }

    func post(_ body: [UInt8], attempt: Int) {
        let tell = tell
        let posting = poster.post(url, fields: sealer.fields, body: body, limit: limit) {
            tell(attempt, $0)
        }
        latest = (attempt, posting)
    }

    func cancel(attempt: Int) {
        if let latest, latest.attempt == attempt { latest.posting.cancel() }
    }

    func sharedID(orMake own: String) -> String? {
        guard let group else { return nil }
        do throws(DiskFailure) {
            return try group.id(orMake: own)
        } catch {
            log("the group's id cannot be had: \(error.reason)")
            return nil
        }
    }

    func share(_ id: String) {
        do throws(DiskFailure) {
            try group?.replace(with: id)
        } catch {
            log("the group's id cannot be replaced: \(error.reason)")
        }
    }

    func isOff() { off() }

    func log(_ line: String) { self.line(line) }
}
