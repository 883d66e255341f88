import Core
import Foundation
import SojournClient

/// Turns commands into calls.
struct Adapter {
    private let client = Client()
    private let environment: [String: String]
    private let bridge: SojournBridge

    init(environment: [String: String]) {
        self.environment = environment
        bridge = SojournBridge(contentID: environment["CLIENT_CONTENT_ID"], client: client)
    }

    /// Carries a command out; the answer's line.
    func answer(_ line: String) -> String {
        let (command, rest) = Self.cut(line)
        switch command {
        case "start": return start(rest, isJWE: false)
        case "start-jwe": return start(rest, isJWE: true)
        case "foreground":
            client.foreground()
            return "ok"
        case "background": return wait { done in client.background { done("ok") } }
        case "screen": client.event("screen.view", ["app.screen.name": .string(rest)])
        case "count":
            let (count, name) = Self.cut(rest)
            client.event(
                "usage.counter",
                ["counter.name": .string(name), "counter.value": .integer(Int64(count) ?? 0)])
        case "event": event(rest)
        case "content":
            let (word, id) = Self.cut(rest)
            guard word == "completed" else {
                client.event("content.view", ["content.id": .string(id)])
                break
            }
            return wait { done in
                client.completed(id) { isFirst in done(isFirst ? "ok first" : "ok again") }
            }
        case "video":
            let (word, id) = Self.cut(rest)
            let name = word == "enter" ? "video.enter_fullscreen" : "video.exit_fullscreen"
            client.event(name, ["video.id": .string(id)])
        case "sync": return wait { done in client.sync { done("ok") } }
        case "flush":
            let milliseconds = Int64(rest) ?? 0
            return wait { done in
                client.flush(within: milliseconds) { done($0 ? "done" : "waiting") }
            }
        case "enable": return wait { done in client.enable(rest == "on") { done("ok") } }
        case "forget": return wait { done in client.forget { done("ok") } }
        case "web":
            let (frame, url) = Self.cut(rest)
            let decision = bridge.decide(url, isMainFrame: frame == "main")
            return decision == .handled ? "handled" : "load"
        case "message":
            let (frame, text) = Self.cut(rest)
            bridge.message(text, isMainFrame: frame == "main")
        case "bench": return bench(max(0, Int(rest) ?? 0))
        case "status": return wait { done in client.status { done(Self.text($0)) } }
        default: return "error unknown"
        }
        return "ok"
    }

    /// The system announces termination.
    func quit() { _ = wait { done in client.terminate { done("") } } }

    private func start(_ arguments: String, isJWE: Bool) -> String {
        let words = arguments.split(separator: " ", maxSplits: isJWE ? 5 : 4).map(String.init)
        guard words.count == (isJWE ? 6 : 5), let folder = words.last,
            let secret = Self.content(words[3])
        else { return "error unknown" }
        let key: Key
        if isJWE {
            key = .jwe(id: words[2], publicJWK: secret, token: Self.content(words[4]) ?? "")
        } else {
            key = .aes128gcm("\(words[2]):\(Self.base64URL(hex: secret))")
        }
        var configuration = Configuration(
            app: words[1], key: key, server: words[0], folder: folder)
        configuration.log = { line in FileHandle.standardError.write(Data((line + "\n").utf8)) }
        apply(to: &configuration)
        client.start { [configuration] in configuration }
        return "ok"
    }

    private func apply(to configuration: inout Configuration) {
        func number(_ name: String) -> Int64? {
            environment["CLIENT_" + name].flatMap { Int64($0) }
        }
        if let bytes = number("JOURNAL_BYTES") { configuration.limits.journal = Int(bytes) }
        if let value = number("BUDGET_MS") { configuration.limits.budget = value }
        if let value = number("ATTEMPT_MS") { configuration.limits.attempt = value }
        if let value = number("BACKOFF_MS") { configuration.limits.backoff.unit = value }
        if let value = number("BACKOFF_CAP_MS") { configuration.limits.backoff.cap = value }
        if let value = number("HOLD_MS") { configuration.limits.backoff.hold = value }
        if let value = number("INTERVAL_MS") { configuration.limits.interval = value }
        if let value = number("SESSION_TIMEOUT_MS") { configuration.limits.sessionTimeout = value }
        configuration.version = environment["CLIENT_VERSION"]
        configuration.limits.isDebug = environment["CLIENT_DEBUG"] == "1"
    }

    private func event(_ rest: String) {
        let (name, json) = Self.cut(rest)
        // What Swift's types cannot say is said by an attribute that breaks the same rule.
        let attributes = BridgeCall.attributes(Array(json.utf8)) ?? ["": .boolean(false)]
        client.event(name, attributes, isOwn: true)
    }

    private func bench(_ count: Int) -> String {
        for index in 0..<count / 10 {
            client.event("bench", ["n": .integer(Int64(index))], isOwn: true)
        }
        let clock = ContinuousClock()
        var times = [Int64](repeating: 0, count: count)
        for index in 0..<count {
            let began = clock.now
            client.event("bench", ["n": .integer(Int64(index))], isOwn: true)
            times[index] = Int64((clock.now - began).components.attoseconds / 1_000_000_000)
        }
        times.sort()
        guard count > 0 else { return "bench 0 0" }
        return "bench \(times[count / 2]) \(times[count * 99 / 100])"
    }

    /// Waits for what calls back.
    private func wait(_ body: (@escaping @Sendable (String) -> Void) -> Void) -> String {
        let answer = Answered()
        body { answer.set($0) }
        return answer.wait()
    }

    private static func text(_ status: Status) -> String {
        "status appended=\(status.appended) accepted=\(status.accepted)"
            + " rejected=\(status.rejected) dropped=\(status.dropped) deleted=\(status.deleted)"
            + " waiting=\(status.waiting) failures=\(status.failures) next=\(status.next)"
    }

    /// The first word, and what follows its space.
    private static func cut(_ line: String) -> (String, String) {
        guard let space = line.firstIndex(of: " ") else { return (line, "") }
        return (String(line[..<space]), String(line[line.index(after: space)...]))
    }

    private static func content(_ path: String) -> String? {
        (try? String(contentsOfFile: path, encoding: .utf8))?
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private static func base64URL(hex: String) -> String {
        let digits = hex.compactMap(\.hexDigitValue)
        let bytes = stride(from: 0, to: digits.count - 1, by: 2).map { index in
            UInt8(truncatingIfNeeded: digits[index] << 4 | digits[index + 1])
        }
        return Data(bytes).base64EncodedString()
            .replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
            .replacingOccurrences(of: "=", with: "")
    }
}

/// An answer that comes from another thread.
private final class Answered: Sendable {
    private let done = DispatchSemaphore(value: 0)
    nonisolated(unsafe) private var text = ""

    func set(_ text: String) {
        self.text = text
        done.signal()
    }

    func wait() -> String {
        done.wait()
        return text
    }
}
