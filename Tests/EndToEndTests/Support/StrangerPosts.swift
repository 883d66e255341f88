import Foundation
import TestSupport

/// What somebody posts who has an app's token and means no good: each request follows from a seed.
struct StrangerPosts {
    /// Equal in all 64 bits under the unkeyed hash by which batches were once known
    /// (Benchmarks/kit/collisions.py).
    static let collidingIDs = [
        "LrWNggfeGumjW12jb57JLz_w3R2ziFu5RQtVsz5.FJKFqjN8TD29yw:i6.K:GYjq",
        "ru0lNs53:ccsi:IthiUA90DQX7KhRJgPvvaBrJF-QLuCotubHFYrYVs5i_cuJBSv",
        "y5mlNs53NMKTI-jBezon9vaaFeohRJgPlhST3l6tv1ENciCFkR80cL5kSe66suk8",
        "AII:Ovjn0EJTI-jBJXKIscH3VtkqBIvdJDieI7jLMIdDs:.p8p50DANLVCSp-jix",
        "TGR:OvjnGumjW12jG1.A90DQ3B5BaxvmWpaIW3jYFJKFqjN8lWYhvhO4nmSMexYd",
        "wBo:Ovjn:ccsi:Itsj4IscH32Lq4seBq-3dcJ5CmQLuCotubeJC5MEk6ZfzkWNcc",
        "USkUHf8JNMKTI-jBcWVA90DQRII4seBqO-74_7Igv1ENciCFE-GH-aSCF6y__Z1l",
        "WKGUHf8J53pTI-jBKbpn9vaaDCg4seBqBWtRuSdFM7Yl-__siC6fDWR1wJVgKwhH",
        "EjANtcafGumjW12j4x-A90DQhprhRJgPs8hcDjRmFJKFqjN8fIxnFAhcYux5J1BD",
        "tM.Ntcaf:qXsi:ItmfEn9vaaGS:hRJgP_V2EeYk--6dVii1LDmlRYhEJ5-Zvzd4W",
    ]

    private var random: SplitMix
    private var number = 0
    /// Requests with ids and texts of the other app's, so far as they are known.
    private let devices: [String]
    private let names: [String]

    /// - Parameters:
    ///   - devices: raw ids that the other app has, too
    ///   - names: of its events
    init(seed: UInt64, devices: [String], names: [String]) {
        random = SplitMix(seed: seed)
        self.devices = devices
        self.names = names
    }

    /// The body of a batch, or what is none.
    mutating func next() -> [UInt8] {
        number += 1
        switch Int.random(in: 0..<8, using: &random) {
        case 0: return Array(batch(events: newNames).utf8)
        case 1: return Array(batch(id: Self.collidingIDs.randomElement(using: &random)).utf8)
        case 2: return Array(batch(events: sessions).utf8)
        case 3: return Array(batch(events: oddValues).utf8)
        case 4: return Array(batch(resource: resource, events: "[]").utf8)
        case 5: return Array(batch(id: "b-\(Int.random(in: 0..<60, using: &random))").utf8)
        case 6: return broken
        default: return Array(batch(members: extremes).utf8)
        }
    }

    private mutating func batch(
        id: String? = nil, resource: String = "", members: String = "", events: String? = nil
    ) -> String {
        let device = devices.randomElement(using: &random) ?? "stranger"
        let events = events ?? #"[{"name":"\#(name)","time":\#(now - 1000)}]"#
        return ##"{"batch_id":"\##(id ?? "stranger-\(number)")",\##(members)"##
            + ##""resource":{"app.installation.id":"\##(device)"\##(resource)},"events":\##(events)}"##
    }

    private var name: String {
        mutating get { names.randomElement(using: &random) ?? "seen" }
    }

    private mutating func events(_ count: Int, _ make: (Int) -> String) -> String {
        "[" + (0..<count).map(make).joined(separator: ",") + "]"
    }

    /// 200 names of events, and 1,600 keys of attributes, that nobody has had.
    private var newNames: String {
        mutating get {
            let (moment, number) = (now, number)
            return events(200) { event in
                let keys = (0..<8).map { #""k\#(number)_\#(event)_\#($0)":\#($0)"# }
                return #"{"name":"n\#(number)_\#(event)","time":\#(moment),"attributes":{"#
                    + keys.joined(separator: ",") + "}}"
            }
        }
    }

    /// Sessions of the names that the other app gives its own, and many more.
    private var sessions: String {
        mutating get {
            let (moment, number) = (now, number)
            let kinds = ["session.start", "session.end", "session.resume", "screen.view"]
            return events(400) { event in
                let id = event % 2 == 0 ? "s-\(event % 40)" : "stranger-\(number)-\(event)"
                return #"{"name":"\#(kinds[event % 4])","time":\#(moment - Int64(event) * 9000),"#
                    + #""attributes":{"session.id":"\#(id)"}}"#
            }
        }
    }

    private var oddValues: String {
        mutating get {
            let values = [
                "9007199254740991", "-9007199254740991", "1e308", "-0.0", "5e-324", "true", #""""#,
                #""\u061c\u202e\ufeff\uffff""#, #""=cmd|' /C calc'!A0""#,
                "\"" + String(repeating: "x", count: 1024) + "\"",
                "\"" + String(repeating: "x", count: 1025) + "\"", "9007199254740992", "[]", "null",
            ]
            let (moment, name) = (now, name)
            let times = ["\(moment)", "0", "-9007199254740991", "1.5", "\(moment + 172_800_000)"]
            return events(60) { event in
                #"{"name":"\#(name)","time":\#(times[event % times.count]),"attributes":"#
                    + #"{"counter.name":"c","counter.value":\#(values[event % values.count]),"#
                    + #""content.id":\#(values[(event + 3) % values.count])}}"#
            }
        }
    }

    private var resource: String {
        mutating get {
            let long = String(UInt64.random(in: 0 ... .max, using: &random), radix: 16)
            return #","os.name":"iOS","os.version":"\#(long)","service.version":"\#(long)","#
                + #""device.model.identifier":"\#(String(repeating: "m", count: 128))""#
        }
    }

    private var extremes: String {
        mutating get {
            let most = "9007199254740991"
            let moments = [
                #""sent_at":0,"#, #""sent_at":\#(most),"#, #""sent_at":\#(now - 40_000_000),"#,
            ]
            return (moments.randomElement(using: &random) ?? "")
                + #""sequence":\#(Bool.random(using: &random) ? most : "1"),"dropped_events":\#(most),"#
        }
    }

    /// What is no batch, each in another way.
    private var broken: [UInt8] {
        mutating get {
            let whole = Array(batch().utf8)
            switch Int.random(in: 0..<7, using: &random) {
            case 0: return Array(whole.prefix(Int.random(in: 0..<whole.count, using: &random)))
            case 1: return (0..<200).map { _ in UInt8.random(in: 0...255, using: &random) }
            case 2: return Array(#"{"batch_id":"a","batch_id":"b"}"#.utf8)
            case 3: return Array(repeating: UInt8(ascii: "["), count: 20_000)
            case 4: return whole + [0]
            case 5: return Array(#"{"batch_id":"b-1","resource":{},"events":7}"#.utf8)
            default:
                var flipped = whole
                flipped[Int.random(in: 0..<whole.count, using: &random)] ^= 1 << 5
                return flipped
            }
        }
    }
}
