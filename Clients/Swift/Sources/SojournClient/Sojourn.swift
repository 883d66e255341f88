public import Core
import Foundation

/// Counts how an app is used. Three lines begin it:
///
///     import SojournClient
///     Sojourn.start(app: "menu", key: "k1:SECRET", server: "https://stats.example.org")
///     Sojourn.screen("menu")
///
/// No call throws, traps or waits for a file or the network; all may be called from any thread. Each event
/// reaches the server once, or is counted in the `dropped_events` of a later batch.
public enum Sojourn {
    /// What an attribute may be.
    public typealias Value = Core.Value

    static let client = Client()

    /// Starts. Calls before are held (the newest 1,000), with their own times.
    ///
    /// - Parameters:
    ///   - key: `"KEYID:SECRET"`, or `.jwe(id:publicJWK:token:)`: `sojourn key add` prints it.
    ///   - server: Such as `https://stats.example.org`.
    ///   - group: An app group whose apps and extensions share one id, so that they count as one device.
    ///   - sessionTimeout: Seconds in the background after which another session begins.
    ///   - journalLimit: Bytes of waiting events at most.
    ///   - debug: Whether events are judged, with a verdict each in the log, and not stored.
    ///   - log: Takes each line for a developer: refused calls, drops, refusals, verdicts. Never an id, a
    ///     secret, a token or a body.
    public static func start(
        app: String, key: Key, server: String, group: String? = nil,
        sessionTimeout: Double = 1800, journalLimit: Int = 5 << 20, debug: Bool = isDebugBuild,
        log: (@Sendable (String) -> Void)? = nil
    ) {
        client.start {
            var configuration = Configuration(
                app: app, key: key, server: server, folder: Storage.folder)
            configuration.limits.sessionTimeout = Int64(max(0, min(sessionTimeout, 1e9)) * 1000)
            configuration.limits.journal = max(16_384, journalLimit)
            configuration.limits.isDebug = debug
            if let log {
                configuration.log = log
            } else if debug {
                configuration.log = { print("Sojourn: \($0)") }
            }
            if let group {
                configuration.groupFolder = Storage.folder(ofGroup: group)
                if configuration.groupFolder == nil {
                    configuration.log("there is no group \(group) for this app: the id is its own")
                }
            }
            return configuration
        }
        #if canImport(ObjectiveC) || canImport(UIKit)
        LifeCycle.observe(client)
        #endif
    }

    /// Whether this build is one for debugging.
    public static var isDebugBuild: Bool {
        #if DEBUG
        true
        #else
        false
        #endif
    }

    /// An important page was seen.
    public static func screen(_ name: String) {
        client.event("screen.view", ["app.screen.name": .string(name)])
    }

    /// A counter went up.
    /// - Parameter count: 1 to 10^9.
    public static func count(_ name: String, by count: Int = 1) {
        client.event(
            "usage.counter",
            ["counter.name": .string(name), "counter.value": .integer(Int64(count))])
    }

    /// The app's own event. Names of the table in wire.md §2.1 have calls of their own and are refused.
    /// - Parameter attributes: At most 31.
    public static func event(_ name: String, _ attributes: [String: Value] = [:]) {
        client.event(name, attributes, isOwn: true)
    }

    /// Content that people read to its end, or do not.
    public static func content(_ id: String) -> Content { Content(id: id, client: client) }

    /// A video that is shown on the whole screen.
    public static func video(_ id: String) -> Video { Video(id: id, client: client) }

    /// Tries to upload now; waits after failures hold all the same.
    /// - Parameter seconds: When it is over at the latest.
    /// - Returns: whether nothing waits.
    @discardableResult
    public static func flush(within seconds: Double = 5) async -> Bool {
        let milliseconds = Int64(max(0, min(seconds, 86_400)) * 1000)
        return await withCheckedContinuation { continuation in
            client.flush(within: milliseconds) { continuation.resume(returning: $0) }
        }
    }

    /// Off: what waits is deleted, nothing is recorded or posted, also after a restart.
    public static var isEnabled: Bool {
        get { client.isEnabled }
        set { client.enable(newValue) }
    }

    /// Deletes what waits; from now on this is another device.
    public static func forget() { client.forget() }

    /// The account of this installation.
    public static var status: Status {
        get async {
            await withCheckedContinuation { continuation in
                client.status { continuation.resume(returning: $0) }
            }
        }
    }

    /// The app comes to the foreground, where the system does not say so.
    public static func foreground() { client.foreground() }

    /// The app goes to the background, where the system does not say so.
    public static func background() { client.background() }
}

extension Sojourn {
    public struct Content: Sendable {
        let id: String
        let client: Client

        /// It was shown.
        public func viewed() { client.event("content.view", ["content.id": .string(id)]) }

        /// It was read to the bottom.
        /// - Parameter then: Called on the main queue after the append: whether it is the first time on
        ///   this installation, as far as the last 1,000 contents tell.
        public func completed(_ then: (@Sendable (Bool) -> Void)? = nil) {
            client.completed(id, then: then)
        }
    }

    public struct Video: Sendable {
        let id: String
        let client: Client

        /// It fills the screen.
        public func enter() { client.event("video.enter_fullscreen", ["video.id": .string(id)]) }

        /// It does so no more.
        public func exit() { client.event("video.exit_fullscreen", ["video.id": .string(id)]) }
    }
}
