import Events
import Foundation
import StoreTestSupport
import Testing

@testable import Database
@testable import Storage

@Suite("apps, keys and tokens")
struct RegistryTests {
    let folder = TemporaryFolder()
    let store: Store
    var registry: Registry { store.registry }

    init() throws { store = try Store.open(folder.options) }

    private func kind(_ body: () throws -> Void) -> StorageError.Kind? { failure(body)?.kind }

    @Test("an app has its defaults, and is what is said of it")
    func apps() throws {
        let shop = try registry.addApp("shop")
        #expect(
            shop
                == App(
                    id: shop.id, name: "shop", title: "shop", timeZone: "UTC",
                    sessionTimeout: 1_800_000, allowsPlain: false, createdAt: 1_763_700_000_000))
        let other = try registry.addApp(
            "other",
            AppChange(
                title: "Other", timeZone: "Europe/Vienna", sessionTimeout: 60_000, allowsPlain: true
            ))
        #expect(other.timeZone == "Europe/Vienna" && other.allowsPlain)
        let changed = try registry.setApp("other", AppChange(title: "New"))
        #expect(
            changed.title == "New" && changed.timeZone == "Europe/Vienna" && changed.allowsPlain)
        #expect(registry.snapshot.apps == [changed, shop])
        #expect(registry.snapshot.app(shop.id) == shop)
        #expect(registry.snapshot.app(named: "other") == changed)
    }

    @Test("every change moves the version, a refused one does not")
    func versions() throws {
        let before = registry.version
        _ = try registry.addApp("shop")
        #expect(registry.version == before + 1 && registry.snapshot.version == before + 1)
        #expect(kind { _ = try registry.addApp("shop") } == .exists)
        #expect(registry.version == before + 1)
    }

    @Test(
        "names are checked",
        arguments: ["", "a b", "ä", "a/b", String(repeating: "a", count: 33), "a\0"])
    func names(_ name: String) {
        #expect(kind { _ = try registry.addApp(name) } == .usage)
    }

    @Test("what is not there is `not found`, with exit code 65")
    func missing() throws {
        #expect(kind { _ = try registry.setApp("none", AppChange()) } == .notFound)
        #expect(kind { _ = try registry.revokeKey("none") } == .notFound)
        #expect(kind { _ = try registry.revokeToken("none") } == .notFound)
        #expect(kind { _ = try registry.addToken(scope: .report, app: "none") } == .notFound)
        #expect(
            kind {
                _ = try registry.addKey(
                    app: "none", profile: .aes128gcm, algorithm: nil, secret: [1])
            } == .notFound)
        #expect(StorageError.Kind.notFound.exitCode == 65)
    }

    @Test("a key's secret comes back, and stands nowhere in the file")
    func keys() throws {
        let app = try registry.addApp("shop")
        let secret = Array("the secret of the key, 32 octets".utf8)
        let key = try registry.addKey(
            name: "k1", app: "shop", profile: .aes128gcm, algorithm: nil, secret: secret)
        let made = try registry.addKey(
            app: "shop", profile: .jwe, algorithm: "ECDH-ES", secret: [1, 2, 3])
        #expect(RegistryName.isValid(made.name) && made.name != key.name)
        #expect(
            kind {
                _ = try registry.addKey(
                    name: "k1", app: "shop", profile: .legacy, algorithm: nil, secret: secret)
            } == .exists)
        try store.close()
        #expect(try contents(of: folder.data.database).range(of: .init(secret)) == nil)
        let read = try StoreReader(directory: folder.data).registry()
        #expect(read.key(named: "k1")?.secret == secret)
        #expect(read.key(named: "k1")?.app == app.id)
        #expect(read.key(named: made.name)?.algorithm == "ECDH-ES")
    }

    @Test("a secret moved to another key's row does not open: 65")
    func movedSecret() throws {
        _ = try registry.addApp("shop")
        for name in ["k1", "k2"] {
            _ = try registry.addKey(
                name: name, app: "shop", profile: .aes128gcm, algorithm: nil, secret: [1])
        }
        try store.writer.perform { (connection) throws(StorageError) in
            try connection.execute(
                "UPDATE key SET wrapped = (SELECT wrapped FROM key WHERE name = 'k2') WHERE name = 'k1'"
            )
        }
        #expect(kind { _ = try StoreReader(directory: folder.data).registry() } == .badData)
    }

    @Test("a change that cannot come into force is not made")
    func unloadable() throws {
        _ = try registry.addApp("shop")
        _ = try registry.addKey(
            name: "k1", app: "shop", profile: .aes128gcm, algorithm: nil, secret: [1])
        try store.writer.perform { (connection) throws(StorageError) in
            try connection.execute("UPDATE key SET wrapped = x'00'")
        }
        let version = registry.version
        #expect(kind { _ = try registry.addApp("other") } == .badData)
        #expect(registry.version == version && registry.snapshot.app(named: "other") == nil)
        #expect(try store.reader().rows("SELECT name FROM app") == ["shop"])
    }

    @Test("a revoked key stays known, without its secret; the first moment counts")
    func revoking() throws {
        _ = try registry.addApp("shop")
        _ = try registry.addKey(
            name: "k1", app: "shop", profile: .aes128gcm, algorithm: nil, secret: [1])
        #expect(try registry.revokeKey("k1").revokedAt == 1_763_700_000_000)
        #expect(try registry.revokeKey("k1").isRevoked)
        let key = try #require(registry.snapshot.key(named: "k1"))
        #expect(key.isRevoked && key.secret.isEmpty)
    }

    @Test("a token is known by its text, of which only the hash is kept")
    func tokens() throws {
        let app = try registry.addApp("shop")
        let (token, text) = try registry.addToken(scope: .ingest, app: "shop")
        #expect(text.hasPrefix("sj_") && text.utf8.count == 46)
        #expect(registry.snapshot.token(Array(text.utf8).span) == token)
        #expect(registry.snapshot.token(Array("sj_other".utf8).span) == nil)
        #expect(token.app == app.id && token.scope == .ingest)
        #expect(try registry.revokeToken(token.name).isRevoked)
        #expect(registry.snapshot.token(Array(text.utf8).span)?.isRevoked == true)
        #expect(try registry.addToken(scope: .admin, app: nil).token.app == nil)
        #expect(kind { _ = try registry.addToken(scope: .ingest, app: nil) } == .usage)
        try store.close()
        #expect(try contents(of: folder.data.database).range(of: .init(text.utf8)) == nil)
    }

    @Test("a token given where its id is meant is not repeated in the error")
    func tokenInMessage() throws {
        let (_, text) = try registry.addToken(scope: .admin, app: nil)
        do {
            _ = try registry.revokeToken(text)
            Issue.record("revoked by its text")
        } catch {
            #expect(!"\(error)".contains(text.dropFirst(3)))
        }
    }

    @Test("a row of another node that cannot be keeps no other from being taken over")
    func passedOver() throws {
        func key(_ name: String, _ app: String, _ profile: String) -> Registry.SharedRow {
            .init(
                RegistryRow(
                    name: name,
                    content: .key(
                        app: app, profile: profile, algorithm: nil, wrapped: [0], createdAt: 1,
                        revokedAt: nil)), version: 1)
        }
        let app = RegistryRow(
            name: "late",
            content: .app(
                title: "Late", timeZone: "UTC", sessionTimeout: 1_800_000, allowsPlain: false,
                createdAt: 1))
        let taken = try registry.apply([
            key("k1", "nope", "plain"), .init(app, version: 1), key("k2", "late", "odd"),
            key("k3", "late", "aes128gcm"),
        ])
        #expect(taken.count == 1 && taken.refused.map(\.row.name) == ["k1", "k2", "k3"])
        #expect(registry.snapshot.apps.map(\.name) == ["late"])
        #expect(registry.snapshot.keys.isEmpty)
        // The same again is not new.
        #expect(try registry.apply([.init(app, version: 1)]).count == 0)
    }
}
