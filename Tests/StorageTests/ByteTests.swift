import Events
import StoreTestSupport
import Testing

@testable import Database
@testable import Storage

/// `String` says that these are equal.
private let composed = "Caf\u{e9}"
private let decomposed = "Cafe\u{301}"

@Suite("texts are equal if their bytes are (docs/reports.md: any order, any restart)")
struct ByteTests {
    let folder = TemporaryFolder()

    private func resource(_ place: Int, _ text: String) -> Resource {
        var resource = Resource()
        resource[place] = text
        return resource
    }

    @Test("canonically equivalent members make two resources", arguments: Resource.members.indices)
    func resources(_ place: Int) {
        #expect(composed == decomposed)
        let one = resource(place, composed)
        let other = resource(place, decomposed)
        #expect(one != other && one == resource(place, composed))
        #expect(Set([one, other, one]).count == 2)
        #expect(one.hashValue == resource(place, composed).hashValue)
        #expect(one.hashValue != other.hashValue)
    }

    @Test("where one member ends counts")
    func boundaries() {
        var one = resource(0, "ab")
        one[1] = "c"
        var other = resource(0, "a")
        other[1] = "bc"
        #expect(one != other && one.hashValue != other.hashValue)
    }

    @Test("each has its own row, remembered or not", arguments: [true, false], [true, false])
    func rows(isComposedFirst: Bool, forgets: Bool) throws {
        let store = try Store.open(folder.options)
        let texts = isComposedFirst ? [composed, decomposed] : [decomposed, composed]
        for (number, text) in (texts + texts).enumerated() {
            if forgets {
                try store.writer.perform { (connection) throws(StorageError) in
                    try connection.execute(
                        "INSERT INTO meta (name, value) VALUES ('x', 1) ON CONFLICT DO UPDATE SET value = 1"
                    )
                }
            }
            // Names are ASCII by rule; the table must not depend on it.
            let batch = Batches.make("b-\(number)", version: text, name: text)
            #expect(store.writer.storeAlone(batch) == .stored)
        }
        let reader = try store.reader()
        let bytes = ["436166C3A9", "43616665CC81"]
        let wanted = isComposedFirst ? bytes : bytes.reversed()
        #expect(
            try reader.rows(
                """
                SELECT hex(service_version)
                FROM batch JOIN resource ON resource.id = resource ORDER BY batch.id
                """) == wanted + wanted)
        #expect(
            try reader.rows(
                "SELECT hex(text) FROM event JOIN name ON name.id = name ORDER BY event.id")
                == wanted + wanted)
        #expect(try reader.integer("SELECT count(*) FROM resource") == 2)
        #expect(try reader.integer("SELECT count(*) FROM name") == 2)
    }

    @Test("the sign of the kelvin finds no K")
    func kelvin() throws {
        let store = try Store.open(folder.options)
        _ = try store.registry.addApp("K")
        _ = try store.registry.addKey(
            name: "K", app: "K", profile: .aes128gcm, algorithm: nil, secret: [1])
        let snapshot = store.registry.snapshot
        #expect("K" == "\u{212a}")
        #expect(snapshot.app(named: "K") != nil && snapshot.key(named: "K") != nil)
        #expect(snapshot.app(named: "\u{212a}") == nil)
        #expect(snapshot.key(named: "\u{212a}") == nil)
    }
}
