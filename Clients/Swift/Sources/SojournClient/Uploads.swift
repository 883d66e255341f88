import Core
import Foundation

#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

/// What the client's queue knows of uploads: whether they may be, and the attempt that runs.
final class Uploads {
    /// A time in which what waits is uploaded.
    struct Window {
        /// Nanoseconds of the monotonic clock.
        var deadline: Int64
        /// Told whether nothing waits; nil for the window of a start, which ends by itself.
        var finish: (@Sendable (Bool) -> Void)?
        var number = 0
    }

    struct Attempt {
        let number: Int
        let posting: Poster.Posting
        /// The open file whose lock is the right to upload.
        let lock: Int32
        /// What gives it up in time.
        var alarm: Int
        /// Whether no earlier attempt of the batch can have been stored.
        let isFirst: Bool
        /// It is cancelled, and its failure noted.
        var isGivenUp = false
    }

    let poster = Poster()
    private(set) var sealer: Sealer?
    private(set) var url: URL?
    /// Of app, key, token and server, so that another one ends a hold; never 0.
    private(set) var fingerprint: UInt64 = 1

    var isForeground = false
    /// Something is to go now.
    var isWanted = false
    /// What waited when the last batch was frozen was more than that.
    var hasMore = false
    /// A count alone was refused: it goes with the next event.
    var isCountHeld = false
    var windows: [Window] = []
    var attempt: Attempt?
    /// The batch that was frozen here and never tried.
    var fresh: String?
    /// When the oldest of what waits was appended, ns.
    private(set) var oldest: Int64?
    /// When something may be posted, ns.
    var next: Int64 = 0
    /// The alarm that comes back to what is not due yet.
    var wake = 0
    /// Numbers of windows and attempts.
    private var counter = 0

    func number() -> Int {
        counter += 1
        return counter
    }

    /// Takes what is needed to post; false where it is not that.
    func configure(_ configuration: Configuration) -> Bool {
        var server = configuration.server
        while server.hasSuffix("/") { server.removeLast() }
        let query = configuration.isDebug ? "?dry_run=1" : ""
        guard let sealer = Sealer(configuration.key), !configuration.app.isEmpty,
            let url = URL(string: "\(server)/v1/apps/\(configuration.app)/batches\(query)"),
            url.scheme == "https" || url.scheme == "http", url.host != nil
        else { return false }
        self.sealer = sealer
        self.url = url
        let digest = SHA256.hash(
            data: Data("\(server)\n\(configuration.app)\n\(configuration.key)".utf8))
        fingerprint = max(1, digest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
        return true
    }

    /// Goes on where another process has stopped.
    func resume(_ ledger: Ledger) {
        let rest = ledger.wait.remaining(at: Clock.wall(), configuration: fingerprint)
        next = Clock.monotonic() + rest * 1_000_000
    }

    /// Nanoseconds until something may be posted.
    var untilNext: Int64 { max(0, next - Clock.monotonic()) }

    /// Something was appended.
    func appended() {
        oldest = oldest ?? Clock.monotonic()
        isCountHeld = false
    }

    /// What waited is on its way.
    func frozen() { oldest = nil }

    /// Gives up what runs: its batch is deleted.
    func abandon() {
        if let attempt {
            attempt.posting.cancel()
            close(attempt.lock)
        }
        attempt = nil
        fresh = nil
        isWanted = false
        hasMore = false
        oldest = nil
    }
}
