import Events
import Ingest
import JSON

/// Arrival in all of these tests, milliseconds since 1970.
let arrival: Int64 = 1_763_700_000_000

/// A batch's text, put together from its members' JSON.
struct BatchText {
    /// Name and JSON, in order.
    var members: [(String, String)] = [
        ("schema", "1"), ("batch_id", #""b-1""#), ("sent_at", "\(arrival)"),
        ("resource", #"{"device.id":"d-1","os.name":"iOS"}"#),
        ("events", "[]"),
    ]

    init(events: [String] = [], _ changes: (String, String?)...) {
        self["events"] = "[" + events.joined(separator: ",") + "]"
        for (name, json) in changes { self[name] = json }
    }

    /// A member's JSON; a new one comes last, nil takes it out.
    subscript(name: String) -> String? {
        get { members.first { $0.0 == name }?.1 }
        set {
            let place = members.firstIndex { $0.0 == name }
            switch (place, newValue) {
            case (let place?, let json?): members[place].1 = json
            case (let place?, nil): members.remove(at: place)
            case (nil, let json?): members.append((name, json))
            case (nil, nil): break
            }
        }
    }

    var text: String {
        "{" + members.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}"
    }
}

/// An event's JSON; nil leaves a member out.
func event(
    _ name: String? = #""app.tap""#, time: String? = "\(arrival - 5000)",
    _ attributes: String? = nil
) -> String {
    let members = [("name", name), ("time", time), ("attributes", attributes)]
    return "{"
        + members.compactMap { name, json in json.map { "\"\(name)\":\($0)" } }
        .joined(separator: ",") + "}"
}

func judge(
    _ text: String, profile: Profile = .plain, maxEvents: Int = 5000
) throws(BatchRule) -> JudgedBatch {
    var judge = BatchJudge()
    let octets = Array(text.utf8)
    return try judge.judge(
        octets.span, JudgeContext(profile: profile, arrival: arrival, maxEvents: maxEvents))
}

func judge(_ batch: BatchText, profile: Profile = .plain) throws(BatchRule) -> JudgedBatch {
    try judge(batch.text, profile: profile)
}

/// The rule for which a batch is refused; nil if it is not.
func broken(_ text: String, profile: Profile = .plain) -> BatchRule? {
    do throws(BatchRule) {
        _ = try judge(text, profile: profile)
        return nil
    } catch {
        return error
    }
}

extension JudgedBatch {
    /// An event's attributes as stored; nil if it has none, or is not there.
    func blob(_ place: Int) -> String? {
        guard events.indices.contains(place) else { return nil }
        let range = events[place].attributes
        guard !range.isEmpty else { return nil }
        return String(decoding: text[Int(range.lowerBound)..<Int(range.upperBound)], as: UTF8.self)
    }

    var sessions: String? { sessionsJSON.map { String(decoding: $0, as: UTF8.self) } }
    /// Keys of attributes as a JSON array; nil without any.
    var keys: String? {
        if attributeKeys.isEmpty { return nil }
        var json: [UInt8] = []
        for key in attributeKeys {
            json.append(UInt8(ascii: json.isEmpty ? "[" : ","))
            JSON.Writer.append(key.utf8.span, to: &json)
        }
        return String(decoding: json + Array("]".utf8), as: UTF8.self)
    }
}
