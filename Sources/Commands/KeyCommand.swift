import ArgumentParser
import Service

/// `sojourn key`: the keys with which devices seal batches.
struct KeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key", abstract: "Add, list and revoke ingest keys.",
        subcommands: [Add.self, List.self, Revoke.self])

    struct Add: Command {
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Make a key, or import one.",
            discussion: "Example: sojourn key add --app shop --profile aes128gcm")

        @Option(help: "The app that the key belongs to.")
        var app: String
        @Option(help: "aes128gcm, jwe or legacy.")
        var profile: String
        @Option(help: "Of a jwe key: ECDH-ES or RSA-OAEP-256; ECDH-ES unless given.")
        var alg: String?
        @Option(help: "The key id: 1 to 32 of A-Z a-z 0-9 _ -; made unless given.")
        var id: String?
        @Option(
            help: """
                Import: a file with hex or base64url (symmetric) or PEM (PKCS#8), - for standard input.
                """)
        var secretFile: String?
        @Option(
            name: .customLong("for"),
            help: "Print the lines with which an app begins: swift, java or kotlin.")
        var language: String?
        @Option(help: "With --for: the address that phones reach, as https://stats.example.org.")
        var server: String?
        @OptionGroup var shared: SharedOptions

        func run(_ invocation: Invocation) throws {
            let lines = try clientLines()
            let material = try secretFile.map {
                String(decoding: try Files.text($0), as: UTF8.self)
            }
            let administration = Administration(settings: try invocation.settings())
            let result: AdminResult
            do {
                result = try administration.perform(
                    .addKey(app: app, profile: profile, algorithm: alg, id: id, material: material))
            } catch let failure as AdminFailure {
                throw named(failure)
            }
            guard case .key(let key) = result else {
                throw AdminFailure(.software, "unexpected answer")
            }
            var text = "added key \(key.key) of app \(key.app), profile \(key.profile)\n"
            if let secret = key.secret { text += "secret (base64url, shown once): \(secret)\n" }
            if let jwk = key.publicJWK { text += "public key for devices: \(jwk)\n" }
            var members = result.members
            if let lines {
                text += "\n" + (try self.text(lines, key, administration, &members))
            }
            invocation.show(members, text: text)
        }

        /// With the name of the file that was not taken; who imports a key knows its text alone.
        private func named(_ failure: AdminFailure) -> AdminFailure {
            let refusal = AdminFailure.importRefusal
            guard let secretFile, failure.description.hasPrefix(refusal) else { return failure }
            return AdminFailure(
                failure.exit,
                "cannot use \(Files.name(of: secretFile)): \(failure.description.dropFirst(refusal.count))"
            )
        }

        private func clientLines() throws -> ClientLines? {
            guard let language else {
                guard server == nil else {
                    throw AdminFailure(
                        .usage, "--server goes with --for, which prints lines for an app")
                }
                return nil
            }
            guard secretFile == nil else {
                throw AdminFailure(
                    .usage,
                    "cannot print lines: what is imported is not shown; leave --secret-file out")
            }
            return try ClientLines(
                language: language, server: server, profile: profile, algorithm: alg)
        }

        /// The lines for an app. Devices of profile jwe need a token, which is made.
        private func text(
            _ lines: ClientLines, _ key: KeySummary, _ administration: Administration,
            _ members: inout [(String, JSONValue)]
        ) throws -> String {
            var before = ""
            let sealing: ClientLines.Key
            if let secret = key.secret {
                sealing = .aes128gcm(secret: secret)
            } else if let jwk = key.publicJWK {
                let result = try administration.perform(.addToken(scope: "ingest", app: key.app))
                guard case .token(let token) = result, let value = token.token else {
                    throw AdminFailure(.software, "unexpected answer")
                }
                before =
                    "added token \(token.id), scope ingest, for app \(key.app): it stands below, "
                    + "and is not shown again\n\n"
                members += [("token", .text(value)), ("token_id", .text(token.id))]
                sealing = .jwe(publicJWK: jwk, token: value)
            } else {
                throw AdminFailure(.software, "unexpected answer")
            }
            let text = lines.text(app: key.app, keyID: key.key, sealing)
            members.append(("lines", .text(text)))
            return before + text
        }
    }

    struct List: Command {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the keys.")

        @OptionGroup var shared: SharedOptions

        func run(_ invocation: Invocation) throws {
            let keys = try Administration(settings: invocation.settings()).keys()
            invocation.show(
                list: keys.map(\.members),
                header: ["KEY", "APP", "PROFILE", "ADDED", "BATCHES", "LAST USED", "STATE"],
                lines: keys.map {
                    [
                        $0.key, $0.app, $0.profile + ($0.algorithm.map { " " + $0 } ?? ""),
                        $0.createdAt.map(Moment.text) ?? "",
                        String($0.batches ?? 0), $0.lastUsedAt.map(Moment.text) ?? "never",
                        $0.revokedAt.map { "revoked " + Moment.text($0) } ?? "active",
                    ]
                })
        }
    }

    struct Revoke: Command {
        static let configuration = CommandConfiguration(
            commandName: "revoke", abstract: "Refuse a key from now on.")

        @Argument(help: "The key id.")
        var id: String
        @OptionGroup var shared: SharedOptions

        func run(_ invocation: Invocation) throws {
            let result = try Administration(settings: invocation.settings()).perform(
                .revokeKey(id: id))
            invocation.show(result.members, text: "revoked key \(id)\n")
        }
    }
}
