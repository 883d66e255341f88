import Testing

@testable import Client
@testable import Simulation

@Suite("batches on their way")
struct PostTests {
    private func post(_ text: String, oldIdentity: String? = nil) -> Post {
        let frozen = Ledger.Frozen(
            segment: 1, range: 0..<1, events: 1, batchID: "b", sequence: 1, dropped: 0)
        return Post(Array(text.utf8), of: frozen, at: 700, oldIdentity: oldIdentity)
    }

    private func stamped(_ post: Post) -> String {
        String(decoding: post.stamped(90_000), as: UTF8.self)
    }

    private let text =
        #"{"schema":1,"batch_id":"b","sent_at":1000,"sequence":1,"dropped_events":0,"#
        + #""resource":{"app.installation.id":"i","os.name":"iOS"},"events":[{"name":"a","#
        + #""time":1,"attributes":{"k":"\"sent_at\":1,\"resource\":{\"app.installation.id\":"}}]}"#

    @Test("it is stamped with the real moment by the device's clock, and nothing else changes")
    func stamp() {
        #expect(post(text).error == 300)
        #expect(
            stamped(post(text)) == text.replacing(#""sent_at":1000,"#, with: #""sent_at":90300,"#))
    }

    @Test("an older client names the device by another member")
    func identity() {
        #expect(
            stamped(post(text, oldIdentity: "x\"y"))
                == text.replacing(#""sent_at":1000,"#, with: #""sent_at":90300,"#)
                .replacing(#""app.installation.id":"i""#, with: #""device.id":"x\"y""#))
    }
}
