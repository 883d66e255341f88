/// What the fields of a complete head mean for the message and the connection.
extension RequestHead {
    /// Judges Host, message length, Connection and Expect; `nil` if the request may go on.
    mutating func interpret(_ bytes: Span<UInt8>) -> RequestRefusal? {
        var hosts = 0
        var lengths = 0
        var codings = 0
        var connections = 0
        var expectations = 0
        for field in fields {
            switch field.name {
            case .host:
                hosts += 1
                if Authority(bytes, field.value) == nil { return .host }
            case .contentLength: lengths += 1
            case .transferEncoding: codings += 1
            case .connection: connections += 1
            case .expect: expectations += 1
            default: break
            }
        }
        // RFC 9112 §3.2: exactly one in HTTP/1.1; HTTP/1.0 may go without.
        if hosts > 1 || (hosts == 0 && version == .http11) { return .host }
        if let refusal = frame(bytes, lengths: lengths, codings: codings) { return refusal }
        keepsAlive = version == .http11
        if connections > 0 { interpretConnection(bytes) }
        return expectations > 0 ? interpretExpect(bytes) : nil
    }

    /// RFC 9112 §6.3, in its order. Where two parties could read a message differently it is refused.
    private mutating func frame(_ bytes: Span<UInt8>, lengths: Int, codings: Int) -> RequestRefusal?
    {
        if codings > 0 {
            if version == .http10 { return .codingVersion }
            if lengths > 0 { return .lengthConflict }
            if let refusal = transferCodings(bytes) { return refusal }
            body = .chunked
            return nil
        }
        guard lengths > 0 else { return nil }
        guard lengths == 1, let value = first(.contentLength), !value.isEmpty else {
            return .length
        }
        var length = 0
        for position in value {
            guard CharacterClass.isDigit(bytes[position]) else { return .length }
            let (tens, overflow) = length.multipliedReportingOverflow(by: 10)
            let (sum, carry) = tens.addingReportingOverflow(Int(bytes[position] - 0x30))
            // No wrap: what cannot be counted is larger than any limit.
            length = overflow || carry ? Int.max : sum
        }
        body = .length(length)
        return nil
    }

    /// `nil` for a single `chunked` and nothing else. An unknown coding before it is 501; without
    /// `chunked` at the end, or with it twice, the length is unknown: 400 (RFC 9112 §6.1, §6.3).
    private func transferCodings(_ bytes: Span<UInt8>) -> RequestRefusal? {
        var chunked = 0
        var others = 0
        var endsChunked = false
        var malformed = false
        forEachValue(of: .transferEncoding) { value in
            Words.forEachMember(bytes, value) { member in
                endsChunked = Words.equal(bytes, member, "chunked")
                if endsChunked {
                    chunked += 1
                } else if isCoding(bytes, member) {
                    others += 1
                } else {
                    malformed = true
                }
                return !malformed
            }
        }
        if malformed || chunked > 1 { return .transferCoding }
        if chunked == 1 {
            return !endsChunked ? .transferCoding : others > 0 ? .unknownCoding : nil
        }
        return .unknownCoding
    }

    /// `true` for a token, with parameters or not, that is not `chunked` with parameters.
    private func isCoding(_ bytes: Span<UInt8>, _ member: Range<Int>) -> Bool {
        var at = member.lowerBound
        while at < member.upperBound, CharacterClass.token.contains(bytes[at]) { at += 1 }
        let name = member.lowerBound..<at
        if name.isEmpty || Words.equal(bytes, name, "chunked") { return false }
        let rest = Words.trimmed(bytes, at..<member.upperBound)
        return rest.isEmpty || bytes[rest.lowerBound] == Byte.semicolon
    }

    /// RFC 9112 §9.3: `close` wins; HTTP/1.0 keeps the connection only when asked to.
    private mutating func interpretConnection(_ bytes: Span<UInt8>) {
        var close = false
        var keep = false
        forEachValue(of: .connection) { value in
            Words.forEachMember(bytes, value) { member in
                if Words.equal(bytes, member, "close") { close = true }
                if Words.equal(bytes, member, "keep-alive") { keep = true }
                return true
            }
        }
        keepsAlive = !close && (version == .http11 || keep)
    }

    /// RFC 9110 §10.1.1: anything but one `100-continue` is 417; HTTP/1.0 cannot understand an interim
    /// answer, so there that counts for nothing.
    private mutating func interpretExpect(_ bytes: Span<UInt8>) -> RequestRefusal? {
        guard count(of: .expect) == 1, let value = first(.expect),
            Words.equal(bytes, value, "100-continue")
        else { return .expectation }
        if version == .http10 { return nil }
        switch body {
        case .none, .length(0): expectsContinue = false
        default: expectsContinue = true
        }
        return nil
    }
}
