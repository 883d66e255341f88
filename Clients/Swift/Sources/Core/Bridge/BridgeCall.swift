import JSON

/// What a page says, made of a URL or a message (client.md §8). A page is not trusted: what breaks a rule
/// is none.
package struct BridgeCall: Sendable, Equatable {
    package let name: String
    package let attributes: [String: Value]

    /// Bytes of a URL or a message at most.
    package static let maxLength = 8192

    /// The event that becomes of it; nil where it names a content or a video and says none, or breaks a
    /// rule of events.
    ///
    /// - Parameter contentID: What the bridge's host shows.
    package func event(contentID: String?) -> (name: String, attributes: [String: Value])? {
        var attributes = attributes
        attributes[Event.sessionKey] = nil
        var event = name
        switch name {
        case "content.view", "content.complete", "scrolled.bottom":
            if attributes["content.id"] == nil, let contentID {
                attributes["content.id"] = .string(contentID)
            }
            if name == "scrolled.bottom" {
                event = "content.complete"
                if attributes["content.id"] == nil { event = "" }
            }
        case "video.enter_fullscreen", "video.exit_fullscreen": break
        default: event = ""
        }
        if event.isEmpty {
            event = "webview.event"
            attributes["webview.event.name"] = .string(name)
        }
        guard EventRule.broken(name: event, attributes: attributes, isOwn: false) == nil else {
            return nil
        }
        return (event, attributes)
    }

    /// `[A-Za-z0-9._-]{1,128}`.
    private static func isName(_ name: some Collection<UInt8>) -> Bool {
        (1...128).contains(name.count)
            && name.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
                    UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}

// MARK: URLs

extension BridgeCall {
    /// What follows the colon of a URL of one of these schemes; nil for any other URL.
    package static func own(_ url: String, schemes: [String]) -> Substring.UTF8View? {
        guard let colon = url.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let scheme = url.utf8[..<colon].map(lowercased)
        guard schemes.contains(where: { $0.utf8.map(lowercased) == scheme }) else { return nil }
        return url.utf8[url.utf8.index(after: colon)...]
    }

    /// Reads what follows the colon: `NAME?k=v&…` or `//NAME…`.
    package init?(url: Substring.UTF8View) {
        guard url.count <= Self.maxLength else { return nil }
        var rest = Array(url)[...]
        if rest.starts(with: "//".utf8) { rest.removeFirst(2) }
        rest = rest.prefix { $0 != UInt8(ascii: "#") }
        let query = rest.firstIndex(of: UInt8(ascii: "?"))
        var name = rest[..<(query ?? rest.endIndex)]
        if name.last == UInt8(ascii: "/") { name.removeLast() }
        guard Self.isName(name) else { return nil }
        var attributes: [String: Value] = [:]
        let pairs = query.map { rest[($0 + 1)...] } ?? []
        for pair in pairs.split(separator: UInt8(ascii: "&")) {
            let equals = pair.firstIndex(of: UInt8(ascii: "="))
            guard let key = Self.decoded(pair[..<(equals ?? pair.endIndex)]),
                let value = Self.decoded(equals.map { pair[($0 + 1)...] } ?? [])
            else { return nil }
            if attributes[key] == nil { attributes[key] = .string(value) }
        }
        self.init(name: String(decoding: name, as: UTF8.self), attributes: attributes)
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }

    /// Percent-decoded UTF-8; nil where it is not that.
    private static func decoded(_ text: ArraySlice<UInt8>) -> String? {
        var out: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                out.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(Hex.digit),
                let low = rest.popFirst().flatMap(Hex.digit)
            else { return nil }
            out.append(high << 4 | low)
        }
        let decoded = String(decoding: out, as: UTF8.self)
        return decoded.utf8.elementsEqual(out) ? decoded : nil
    }
}

// MARK: Messages

extension BridgeCall {
    /// Reads a message: `{"name": N, "attributes": {…}}`.
    package init?(message: [UInt8]) {
        guard message.count <= Self.maxLength else { return nil }
        self.init(json: message)
    }

    private init?(json message: [UInt8]) {
        // An array has a span from iOS 26 on only, its slice in all that the package names.
        let whole = message[...]
        let bytes = whole.span
        var scanner = Scanner()
        var name: String?
        var attributes: [String: Value] = [:]
        do throws(Malformed) {
            try scanner.reset(bytes)
            guard try scanner.value(bytes).kind == .object else { return nil }
            while let member = try scanner.member(bytes) {
                let token = try scanner.value(bytes)
                switch member.text.string(in: message) {
                case "name":
                    guard let text = token.text else { return nil }
                    name = text.string(in: message)
                case "attributes":
                    guard token.kind == .object else { return nil }
                    while let key = try scanner.member(bytes) {
                        guard let value = Self.value(try scanner.value(bytes), message)
                        else { return nil }
                        attributes[key.text.string(in: message)] = value
                    }
                default: try scanner.skipRest(of: token, bytes)
                }
            }
            try scanner.finish(bytes)
        } catch {
            return nil
        }
        guard let name, Self.isName(name.utf8) else { return nil }
        self.init(name: name, attributes: attributes)
    }

    /// The attributes of a JSON object; nil where it is none, or has a value that is no attribute.
    package static func attributes(_ json: [UInt8]) -> [String: Value]? {
        BridgeCall(json: Array("{\"name\":\"x\",\"attributes\":".utf8) + json + [0x7D])?
            .attributes
    }

    private static func value(_ token: Token, _ bytes: [UInt8]) -> Value? {
        switch token.kind {
        case .string, .escapedString: token.text.map { .string($0.string(in: bytes)) }
        case .integer: .integer(token.value)
        case .true: .boolean(true)
        case .false: .boolean(false)
        case .decimal:
            .double(bytes.withUnsafeBufferPointer { DecimalForm.double(token, $0.span) })
        case .hugeInteger, .null, .object, .array: nil
        }
    }
}
