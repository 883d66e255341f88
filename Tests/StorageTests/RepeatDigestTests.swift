import StoreTestSupport
import Testing

@testable import Database
@testable import Storage

@Suite("digests by which repeats are looked for")
struct RepeatDigestTests {
    private let digest = RepeatDigest(EarlierVersion.key)

    private func make(_ id: String, _ digest: RepeatDigest) -> Int64 {
        digest.make(of: id.utf8.span)
    }

    @Test("never change: they stand in files (values by another implementation of HKDF and HMAC)")
    func fixed() {
        #expect(make("", digest) == -2_878_828_246_574_043_561)
        #expect(make("b-1", digest) == -9_199_579_639_092_093_141)
        #expect(
            make("0193a1f2-7c11-7b0e-9a55-0c7d7f4f5a01", digest) == -4_269_265_379_385_865_509)
    }

    @Test("follow from the master key")
    func keyed() {
        let other = RepeatDigest(MasterKey(bytes: Array(1...32)))
        #expect(make("b-1", other) != make("b-1", digest))
    }

    @Test("SQL makes the same")
    func function() throws {
        let connection = try Connection(path: ":memory:", mode: .memory)
        #expect(failure { _ = try connection.prepare("SELECT repeat_digest('b-1')") } != nil)
        try digest.register(on: connection)
        let row = try connection.prepare("SELECT repeat_digest(?)")
        for id in ["", "b-1", CollidingIDs.all[7], "é\u{0}é"] {
            try row.bind(1, id)
            #expect(try row.step() && row.int(0) == make(id, digest))
            row.reset()
        }
    }
}
