import Foundation
import TestSupport
import Testing

/// A body that was tampered with (docs/protocol.md, The answer). `FLIPS` in the environment says how
/// many flips are tried in each profile (`make flips`).
@Suite("flipped bits", .tags(.long), .serialized)
struct FlipTests {
    private static let count =
        ProcessInfo.processInfo.environment["FLIPS"].flatMap { Int($0) } ?? 200

    @Test("no flipped bit passes where it counts, and all that cannot be opened get one answer")
    func flips() throws {
        let server = try TestServer()
        try server.start()
        var random = SplitMix(seed: 20_260_101)
        var undecodable: Set<String> = []
        for way in try SealedPost.all(of: server) {
            var connection = try server.connect()
            var outcomes: [String: Int] = [:]
            for number in 0..<Self.count {
                let text = batch("\(way.name.prefix(3))-\(number)", count: Int(random.next() % 40))
                let whole = way.body(text)
                let place = Int(random.next() % UInt64(whole.count))
                let bit = UInt8(1) << UInt8(random.next() % 8)
                var body = whole
                body[place] ^= bit
                let request = way.request(body)
                guard let answer = connection.exchange(request) else {
                    Issue.record(
                        "\(way.name): no answer; octet \(place) of \(whole.count), bit \(bit)")
                    connection = try server.connect()
                    continue
                }
                let code = answer.body.firstMatch(of: /"code":"([^"]+)"/)?.output.1 ?? ""
                outcomes["\(answer.status) \(code)", default: 0] += 1
                switch (answer.status, code) {
                case (400, "undecodable"): undecodable.insert(answer.withoutDate)
                // The key id stands in the open.
                case (401, "unknown-key"):
                    #expect(way.name == "aes128gcm" || way.name.hasPrefix("jwe"))
                case (200, _):
                    #expect(
                        Self.countsForNothing(place, bit, way.name, whole),
                        "\(way.name): octet \(place) of \(whole.count), bit \(bit) was flipped and passed"
                    )
                default: Issue.record("\(way.name): \(answer.status) \(answer.body)")
                }
            }
            // Among so many there are always some.
            #expect(outcomes["400 undecodable", default: 0] > Self.count / 2)
            if Self.count > 1000 { print("\(way.name): \(outcomes.sorted { $0.key < $1.key })") }
        }
        #expect(undecodable.count == 1, "\(undecodable)")
    }

    /// What may be another without the batch being another.
    private static func countsForNothing(
        _ place: Int, _ bit: UInt8, _ name: String, _ body: [UInt8]
    ) -> Bool {
        switch name {
        // The size of records, where there is only one.
        case "aes128gcm": (16..<20).contains(place)
        // Of gzip: FTEXT, the time, the flags of the compressor and the system's number; and the bits
        // that fill deflate's last octet.
        case "plain":
            place == 3 && bit == 1 || (4..<10).contains(place) || place == body.count - 9
        default: false
        }
    }
}
