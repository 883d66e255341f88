import Foundation
import TestSupport
import Testing

/// Clients that share no code with the server, written from the text of docs/protocol.md and the
/// standards: what they seal, the server has to open.
@Suite("clients in other languages", .tags(.long))
struct IndependentClientTests {
    /// What each client can do, and under which of the keys below.
    private static let profiles: [(name: String, key: String)] = [
        ("aes128gcm", "k1"), ("aes128gcm-padded", "k1"), ("aes128gcm-without-gzip", "k1"),
        ("jwe-A128GCM", "ec"), ("jwe-A256GCM", "ec"), ("jwe-A128GCM-zip", "ec"),
        ("jwe-A256GCM-zip", "ec"), ("jwe-A128GCM", "rsa"), ("jwe-A256GCM", "rsa"),
        ("jwe-A128GCM-zip", "rsa"), ("jwe-A256GCM-zip", "rsa"), ("plain", "none"),
        ("plain-gzip", "none"), ("legacy", "old"),
    ]

    @Test(
        "Python seals every profile",
        .enabled(if: ClientLanguage.python.isInstalled, "python3 with cryptography is not here"))
    func python() throws { try everyProfile(.python) }

    @Test(
        "Node seals every profile",
        .enabled(if: ClientLanguage.node.isInstalled, "node is not here"))
    func node() throws { try everyProfile(.node) }

    @Test(
        "Java seals every profile, legacy as the Android client of 2013 does",
        .enabled(if: ClientLanguage.java.isInstalled, "java (11 or later) is not here"))
    func java() throws { try everyProfile(.java) }

    private func everyProfile(_ language: ClientLanguage) throws {
        let server = try TestServer()
        try server.start()
        let folder = server.data + "-keys"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try writeSecrets(of: server, to: folder)
        var expected: Set<String> = []
        for (number, (profile, key)) in Self.profiles.enumerated() {
            let id = "\(language)-\(number)"
            let text = batch(id, device: "\(language)-phone", count: 3 + number)
            let result = try language.post(
                text, [profile, server.url, "shop", key, folder + "/" + key, server.ingestToken])
            #expect(
                result.output
                    == #"200 {"batch_id":"\#(id)","duplicate":false,"accepted":\#(3 + number),"rejected":0}"#
                    + "\n",
                "\(profile) under \(key): \(result.output) \(result.errors)")
            expected.formUnion((0..<3 + number).map { "\(id)/\($0)" })
            let wrong = try language.post(
                text, [profile, server.url, "shop", key, folder + "/wrong-" + key, "sj_wrong"])
            #expect(
                wrong.status == 1
                    && (wrong.output.contains(#""code":"undecodable""#)
                        || wrong.output.hasPrefix("401 ")),
                "\(profile) under another key: \(wrong.output) \(wrong.errors)")
        }
        #expect(try Set(server.storedEvents()) == expected)
        #expect(
            try server.report("platforms?app=shop&format=csv").contains(
                "\r\niOS,1,1.000000,0,0.000"))
    }

    /// A file for each key, by its id, and one with another key of the same kind.
    private func writeSecrets(of server: TestServer, to folder: String) throws {
        func write(_ text: String, _ name: String) throws {
            try Data(text.utf8).write(to: URL(filePath: folder + "/" + name))
        }
        try write(server.secret, "k1")
        try write(String(repeating: "0f", count: 32), "wrong-k1")
        try write(try server.addKey("old", profile: "legacy"), "old")
        try write(String(repeating: "0f", count: 16), "wrong-old")
        for (id, algorithm) in [("ec", "ECDH-ES"), ("rsa", "RSA-OAEP-256")] {
            try write(try server.addKey(id, profile: "jwe", algorithm: algorithm), id)
            try write(
                try server.addKey("other-" + id, profile: "jwe", algorithm: algorithm),
                "wrong-" + id)
        }
        try write("", "none")
        try write("", "wrong-none")
    }
}

/// A language that a client of ours is written in, if this machine has it.
enum ClientLanguage: String, CaseIterable {
    case python, node, java

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "clients")

    /// What runs the client, without its arguments.
    private var command: [String] {
        let script = { (name: String) in Self.folder.appending(path: name).path }
        return switch self {
        case .python:
            ["python3", script("seal.py")]
        case .node: ["node", script("seal.mjs")]
        // It runs for a moment only: the second compiler never pays.
        case .java: ["java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", script("Seal.java")]
        }
    }

    /// Whether the language is here with what the client needs of it.
    var isInstalled: Bool {
        let probe =
            switch self {
            case .python: [command[0], "-c", "import cryptography"]
            case .node: ["node", "-e", "require('node:crypto').hkdfSync"]
            // Java 11 and later run a source file.
            case .java: ["java", "--source", "11", "--version"]
            }
        return (try? BuiltProgram.run(URL(filePath: "/usr/bin/env"), probe))?.status == 0
    }

    /// Has it seal and post a batch; what it printed, and 0 where the answer was 200.
    func post(_ batch: String, _ arguments: [String]) throws -> BuiltProgram.Result {
        try BuiltProgram.run(URL(filePath: "/usr/bin/env"), command + arguments, input: batch)
    }
}
