import Events
import FuzzSupport

/// Makes a request of a fuzzer's bytes. Where they end, what is left is small and good.
struct Drawing {
    private var draw: Draw

    static func message(_ draw: Draw) -> Message {
        var drawing = Drawing(draw: draw)
        let resources = (0...drawing.pick(3)).map { _ in drawing.logs() }
        // More than are made into batches at once.
        let copies = drawing.pick(16) == 15 ? 70 / resources.count : 1
        return Message(resources: Array(repeatElement(resources, count: copies).joined()))
    }

    private mutating func pick(_ count: Int) -> Int { Int(draw.octet()) % count }

    private mutating func logs() -> ResourceLogs {
        var attributes: [Attribute] = []
        switch pick(8) {
        case 6: attributes.append(Attribute(key: Array("app.installation.id"), value: value(1)))
        case 7: break
        case 5: attributes.append(Attribute(key: Array("device.id"), value: .string(text())))
        case let number:
            let key = number % 2 == 0 ? "app.installation.id" : "device.id"
            attributes.append(Attribute(key: Array(key), value: .string(Array("i\(number)"))))
        }
        for _ in 0..<pick(4) {
            let members = Resource.members + ["device.id", "service.name", "app.installation.id"]
            let key = pick(8) == 7 ? text() : Array(members[pick(members.count)])
            attributes.append(Attribute(key: key, value: value(2)))
        }
        let scopes = (0..<(1 + pick(3))).map { _ in (0..<pick(5)).map { _ in record() } }
        return ResourceLogs(attributes: attributes, scopes: scopes)
    }

    private mutating func record() -> Record {
        var record = Record(name: name(), time: time())
        if record.time == 0 || pick(8) == 7 { record.observedTime = time() }
        let count = pick(8)
        for index in 0..<(count == 7 ? 30 + pick(5) : count) {
            var attribute = Attribute(key: key(), value: value(4))
            if count == 7 { attribute.key = Array("n\(index)") }
            record.attributes.append(attribute)
        }
        if record.name == Array("device.app.lifecycle"), pick(4) != 3 {
            let state = ["foreground", "background", "terminate", "created"][pick(4)]
            record.attributes += [
                Attribute(key: Array("session.id"), value: .string(Array("s1"))),
                Attribute(
                    key: Array(["android.app.state", "ios.app.state"][pick(2)]),
                    value: .string(Array(state))),
            ]
        }
        return record
    }

    private mutating func name() -> [UInt8] {
        let own = ["app.tap", "a", "device.app.lifecycle", "x_1.y2", "A", "a..b", "a.", ".a", "1a"]
        switch pick(8) {
        case 0, 1, 2: return Array(own[pick(own.count)])
        case 3, 4: return Array(StandardEvent.allCases[pick(StandardEvent.allCases.count)].name)
        case 5: return Array(repeating: UInt8(ascii: "n"), count: 60 + pick(8))
        case 6: return text()
        default: return []
        }
    }

    /// Nanoseconds.
    private mutating func time() -> UInt64 {
        let edges = [Server.times.lowerBound, Server.times.upperBound, Server.arrival]
        switch pick(8) {
        case 0...3: return UInt64(Server.arrival) * 1_000_000 + UInt64(pick(4)) * 999_999
        case 4: return 0
        case 5: return UInt64(edges[pick(3)]) * 1_000_000 &+ UInt64(pick(3)) &- 1
        case 6: return UInt64(edges[pick(3)] + Int64(pick(3)) - 1) * 1_000_000
        default: return bits()
        }
    }

    private mutating func bits() -> UInt64 {
        (0..<8).reduce(0) { bits, _ in bits << 8 | UInt64(draw.octet()) }
    }

    private mutating func key() -> [UInt8] {
        let known =
            StandardAttribute.allCases.map(\.key) + [
                "event.name", "app.installation.id", "device.id", "android.app.state",
                "ios.app.state",
            ]
        switch pick(8) {
        case 0, 1: return Array("k\(pick(4))")
        case 2, 3, 4: return Array(known[pick(known.count)])
        case 5: return Array(repeating: UInt8(ascii: "k"), count: 62 + pick(5))
        case 6: return text()
        // Those that differ late, and those that go on.
        default: return Array(["prefixed", "prefixed.a", "prefixed.b", "prefix", ""][pick(5)])
        }
    }

    private mutating func value(_ depth: Int) -> AnyValue {
        let ints: [Int64] = [
            0, 1, -1, 1 << 53, 1 << 53 - 1, 1 - 1 << 53, .max, .min, 1_000_000_000,
        ]
        let doubles = [
            0, -0.0, 0.5, 1e21, 1e-7, .leastNonzeroMagnitude, 1.7976931348623157e308, .nan,
            .infinity, -.infinity,
            123456789012345683968, 0.000001, 4.35, -2.5e-10, 9007199254740994,
        ]
        switch pick(10) {
        case 0, 1: return .string(text())
        case 2: return .bool(pick(2) == 1)
        case 3: return .int(pick(2) == 0 ? ints[pick(ints.count)] : Int64(bitPattern: bits()))
        case 4:
            let double = pick(2) == 0 ? doubles[pick(doubles.count)] : Double(bitPattern: bits())
            // JSON knows one NaN.
            return .double(double.isNaN ? .nan : double)
        case 5: return .bytes((0..<pick(9)).map { _ in draw.octet() })
        case 6 where depth > 0: return .array((0..<pick(4)).map { _ in value(depth - 1) })
        case 7 where depth > 0:
            return .kvlist(
                (0..<pick(4)).map { _ in Attribute(key: key(), value: value(depth - 1)) })
        case 8: return .empty
        default: return .int(Int64(draw.octet()))
        }
    }

    /// UTF-8 without U+0000.
    private mutating func text() -> [UInt8] {
        let words = ["foreground", "background", "s1", "app.tap", "", "unknown", "0", "x y", "v"]
        let units = [
            "a", "\"", "\\", "\n", "\u{1}", "\u{7f}", "é", "\u{e000}", "\u{ffff}", "😀", "/",
        ]
        switch pick(6) {
        case 0, 1: return Array(words[pick(words.count)])
        case 2: return (0..<pick(16)).map { _ in 0x20 + draw.octet() % 0x5f }
        case 3: return (0..<pick(6)).flatMap { _ in Array(units[pick(units.count)]) }
        case 4:
            // About the limits of identities, members, sessions and strings.
            let bytes = [64, 128, 256, 1024, 1600][pick(5)] + pick(6) - 3
            let unit = Array(units[pick(units.count)])
            let lead = Array(repeating: UInt8(ascii: "x"), count: pick(4))
            return lead + Array(repeatElement(unit, count: bytes / unit.count).joined())
        default:
            return (0..<pick(6)).flatMap { _ in
                let code = UInt32(pick(17)) << 16 | UInt32(draw.number())
                return Array(String(Unicode.Scalar(code == 0 ? 1 : code) ?? "\u{fffd}"))
            }
        }
    }
}
