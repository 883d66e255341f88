@_exported public import Core
import Foundation

/// Counts how an app is used. Three lines begin it:
///
///     import SojournClient
///     Sojourn.start(app: "menu", key: "k1:SECRET", server: "https://stats.example.org")
///     Sojourn.screen("menu")
///
/// No call throws, traps or waits for a file or the network; all may be called from any thread. Each event
/// reaches the server once, or is counted in the `dropped_events` of a later batch. What breaks a rule of
/// events is logged, counts as dropped and is not repaired.
public enum Sojourn {
    /// What an attribute may be: a string, an integer, a double or a boolean.
    public typealias Value = Core.Value

    static let client = Client()

    /// Starts. Calls before are held (the newest 1,000), with their own times. Call it when the app
    /// launches; a second call is logged and ignored.
    ///
    /// - Parameters:
    ///   - app: The app's name at the server, as in `sojourn key add --app`.
    ///   - key: `"KEYID:SECRET"`, or ``Key/jwe(id:publicJWK:token:)``: `sojourn key add` prints it.
    ///   - server: The server's address, such as `https://stats.example.org`.
    ///   - group: An app group whose apps and extensions share one id, so that they count as one device.
    ///   - sessionTimeout: Seconds in the background after which another session begins, 0 to 10^9.
    ///   - journalLimit: Bytes of waiting events at most, 16,384 or more. Beyond, the oldest are dropped.
    ///   - debug: Whether events are judged, with a verdict each in the log, and not stored.
    ///   - log: Takes each line for a developer: refused calls, drops, refusals, verdicts. Never an id, a
    ///     secret, a token or a body. Nil prints the lines in debug, and none otherwise.
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
                configuration.log = { line in
                    FileHandle.standardError.write(Data("Sojourn: \(line)\n".utf8))
                }
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

    /// Whether this library was built for debugging (`DEBUG`), as it is with an app in a debug build.
    public static var isDebugBuild: Bool {
        #if DEBUG
        true
        #else
        false
        #endif
    }

    /// An important page was seen. Makes `screen.view`.
    ///
    /// - Parameter name: The page's, 1 to 128 bytes of UTF-8.
    public static func screen(_ name: String) {
        client.event("screen.view", ["app.screen.name": .string(name)])
    }

    /// A counter went up. Makes one `usage.counter`.
    ///
    /// - Parameters:
    ///   - name: The counter's, 1 to 128 bytes of UTF-8.
    ///   - count: By how much, 1 to 10^9.
    public static func count(_ name: String, by count: Int = 1) {
        client.event(
            "usage.counter",
            ["counter.name": .string(name), "counter.value": .integer(Int64(count))])
    }

    /// The app's own event. Names that have calls of their own, such as `session.start` and
    /// `screen.view`, are refused (docs/protocol.md, Events).
    ///
    /// - Parameters:
    ///   - name: `[a-z][a-z0-9_]*(\.[a-z0-9_]+)*`, at most 64 bytes. Keep names few, and put what varies
    ///     into attributes.
    ///   - attributes: At most 31, with keys of 1 to 64 bytes. `session.id` is the client's: one that is
    ///     given is replaced.
    public static func event(_ name: String, _ attributes: [String: Value] = [:]) {
        client.event(name, attributes, isOwn: true)
    }

    /// Content that people read to its end, or do not.
    ///
    /// - Parameter id: The app's own for it, 1 to 128 bytes of UTF-8.
    public static func content(_ id: String) -> Content { Content(id: id, client: client) }

    /// A video that is shown on the whole screen.
    ///
    /// - Parameter id: The app's own for it, 1 to 128 bytes of UTF-8.
    public static func video(_ id: String) -> Video { Video(id: id, client: client) }

    /// Tries to upload now; waits after failures hold all the same.
    ///
    /// - Parameter seconds: When it is over at the latest, 0 to 86,400. An attempt that runs is given up.
    /// - Returns: Whether nothing waits.
    @discardableResult
    public static func flush(within seconds: Double = 5) async -> Bool {
        let milliseconds = Int64(max(0, min(seconds, 86_400)) * 1000)
        return await withCheckedContinuation { continuation in
            client.flush(within: milliseconds) { continuation.resume(returning: $0) }
        }
    }

    /// Whether anything is recorded and posted. Off deletes what waits, and stays off after a restart until
    /// it is set again. It may be set before the start. What an earlier launch has set is known when ``status``
    /// has answered, and reads as true until then.
    public static var isEnabled: Bool {
        get { client.isEnabled }
        set { client.enable(newValue) }
    }

    /// Deletes what waits and the contents that were read; from now on this is another device, with a new
    /// random id. What the server has stays there.
    public static func forget() { client.forget() }

    /// The account of this installation, once the journal is read and all calls before are appended; zeros
    /// before ``start(app:key:server:group:sessionTimeout:journalLimit:debug:log:)``, after one with a key or a
    /// server that is none, and where the folder could not be opened for ten seconds.
    public static var status: Status {
        get async {
            await withCheckedContinuation { continuation in
                client.status { continuation.resume(returning: $0) }
            }
        }
    }

    /// The app comes to the foreground, where the system does not say so, as on Linux. Twice is once.
    public static func foreground() { client.foreground() }

    /// The app goes to the background, where the system does not say so, as on Linux: the session ends, and
    /// what waits is uploaded within 5 seconds. Twice is once.
    public static func background() { client.background() }
}

extension Sojourn {
    /// Content that ``Sojourn/content(_:)`` names: an article, a lesson, a recipe.
    public struct Content: Sendable {
        let id: String
        let client: Client

        /// It was shown. Makes `content.view`.
        public func viewed() { client.event("content.view", ["content.id": .string(id)]) }

        /// It was read to the bottom. Makes `content.complete`.
        ///
        /// - Parameter then: Called on the main queue after the append: whether it is the first time on
        ///   this installation, as far as the last 1,000 contents tell. False where nothing can be appended:
        ///   at once after a start with a key or a server that is none, else after ten seconds.
        public func completed(_ then: (@Sendable (Bool) -> Void)? = nil) {
            client.completed(id, then: then)
        }
    }

    /// A video that ``Sojourn/video(_:)`` names.
    public struct Video: Sendable {
        let id: String
        let client: Client

        /// It fills the screen. Makes `video.enter_fullscreen`.
        public func enter() { client.event("video.enter_fullscreen", ["video.id": .string(id)]) }

        /// It fills the screen no more. Makes `video.exit_fullscreen`.
        public func exit() { client.event("video.exit_fullscreen", ["video.id": .string(id)]) }
    }
}
