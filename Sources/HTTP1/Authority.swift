/// `uri-host [ ":" port ]` (RFC 9110 §7.2, RFC 3986 §3.2.2): what a Host field and an authority hold.
enum Authority {
    case host, hostAndPort

    /// Checks `bytes[range]`. `nil` if it is malformed or its host is empty; an http URI has a host
    /// (RFC 9110 §4.2.1).
    init?(_ bytes: Span<UInt8>, _ range: Range<Int>) {
        guard !range.isEmpty else { return nil }
        var at = range.lowerBound
        if bytes[at] == Byte.openBracket {
            at += 1
            let start = at
            var colons = 0
            while at < range.upperBound, CharacterClass.addressLiteral.contains(bytes[at]) {
                if bytes[at] == Byte.colon { colons += 1 }
                at += 1
            }
            guard at < range.upperBound, bytes[at] == Byte.closeBracket, colons >= 2,
                at - start <= 45
            else { return nil }
            at += 1
        } else {
            var escapeDigits = 0
            while at < range.upperBound, bytes[at] != Byte.colon {
                let byte = bytes[at]
                if escapeDigits > 0 {
                    if !CharacterClass.hexDigit.contains(byte) { return nil }
                    escapeDigits -= 1
                } else if byte == Byte.percent {
                    escapeDigits = 2
                } else if !CharacterClass.registeredName.contains(byte) {
                    return nil
                }
                at += 1
            }
            if at == range.lowerBound || escapeDigits > 0 { return nil }
        }
        self = .host
        if at == range.upperBound { return }
        guard bytes[at] == Byte.colon else { return nil }
        var port = 0
        for position in (at + 1)..<range.upperBound {
            guard CharacterClass.isDigit(bytes[position]) else { return nil }
            port = port * 10 + Int(bytes[position] - 0x30)
            if port > 65535 { return nil }
        }
        if at + 1 < range.upperBound { self = .hostAndPort }
    }
}
