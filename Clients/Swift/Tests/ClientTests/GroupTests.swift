import Foundation
import Testing

@testable import Core
@testable import SojournClient

@Suite("The id of a group of apps")
struct GroupTests {
    private let root = NSTemporaryDirectory() + "sojourn-group-" + UUID().uuidString
    private var group: String { root + "/group" }

    /// Starts an app with a journal of its own, does something, and reads its id.
    private func app(
        _ name: String, isGrouped: Bool = true, _ body: (Client) async -> Void = { _ in }
    ) async throws -> String {
        let folder = root + "/" + name
        // Nobody listens: what is recorded waits.
        var configuration = Configuration(
            app: "shop", key: .aes128gcm("k1:" + String(repeating: "A", count: 43)),
            server: "http://127.0.0.1:9", folder: folder)
        if isGrouped { configuration.groupFolder = group }
        let client = Client()
        client.start { [configuration] in configuration }
        await withCheckedContinuation { done in client.sync { done.resume() } }
        await body(client)
        let text = try String(contentsOfFile: folder + "/ledger", encoding: .utf8)
        return try #require(text.split(separator: "\n").first { $0.hasPrefix("installation ") })
            .split(separator: " ").last.map(String.init) ?? ""
    }

    private func forget(_ client: Client) async {
        await withCheckedContinuation { done in client.forget { done.resume() } }
    }

    private func record(_ client: Client) async {
        client.event("a", [:], isOwn: true)
        await withCheckedContinuation { done in client.sync { done.resume() } }
    }

    @Test("two apps have one; without the group each has its own")
    func shared() async throws {
        defer { try? FileManager.default.removeItem(atPath: root) }
        let first = try await app("first")
        #expect(try await app("second") == first)
        #expect(try await app("third", isGrouped: false) != first)
        #expect(try FileManager.default.contentsOfDirectory(atPath: group) == ["id"])
    }

    @Test("an app that joins gives its id to a group that has none, and else takes the group's")
    func joining() async throws {
        defer { try? FileManager.default.removeItem(atPath: root) }
        let old = try await app("app", isGrouped: false)
        let other = try await app("extension", isGrouped: false)
        #expect(old != other)
        #expect(try await app("app") == old)
        #expect(try await app("extension") == old)
    }

    @Test("what waits goes under the id that it was recorded under")
    func waiting() async throws {
        defer { try? FileManager.default.removeItem(atPath: root) }
        let other = try await app("extension", isGrouped: false, record)
        let first = try await app("app")
        #expect(try await app("extension") == other)
        #expect(other != first)
    }

    @Test("one that forgets gives the group another id, which the others take")
    func forgetting() async throws {
        defer { try? FileManager.default.removeItem(atPath: root) }
        let first = try await app("app")
        #expect(try await app("extension") == first)
        let new = try await app("app", forget)
        #expect(new != first)
        #expect(try await app("extension") == new)
        #expect(try await app("app") == new)
    }

    @Test("a forgotten id does not come back where the group could not be told")
    func forgettingUntold() async throws {
        defer { try? FileManager.default.removeItem(atPath: root) }
        let first = try await app("app")
        let new = try await app("app", forget)
        // As a kill leaves it between the two.
        try first.write(toFile: group + "/id", atomically: true, encoding: .utf8)
        #expect(try await app("app") == new)
        #expect(try await app("extension") == new)
    }

    @Test("what is no id is replaced", arguments: ["", "none", String(repeating: "0", count: 36)])
    func damage(_ text: String) async throws {
        defer { try? FileManager.default.removeItem(atPath: root) }
        let first = try await app("app")
        try text.write(toFile: group + "/id", atomically: true, encoding: .utf8)
        let new = try await app("extension")
        #expect(RandomID.isText(new) && new != first)
        #expect(try await app("app") == new)
    }

    @Test("of fifty that come at once one stands")
    func race() async throws {
        defer { try? FileManager.default.removeItem(atPath: root) }
        let group = group
        let ids = await withTaskGroup(of: String.self) { tasks in
            for number in 1...50 {
                tasks.addTask {
                    let own = RandomID.text(UInt64(number), 1)
                    return (try? GroupFolder(group, protect: { _ in }).id(orMake: own)) ?? "none"
                }
            }
            return await tasks.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(ids.count == 1, "\(ids)")
    }
}
