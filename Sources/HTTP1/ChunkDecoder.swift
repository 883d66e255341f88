/// Takes a chunked body apart (RFC 9112 §7.1), piece by piece, each octet once.
///
/// Extensions are checked and dropped, bounded in all; trailers too. White space is allowed only
/// where the grammar has `BWS`, so nothing can be read in two ways.
package struct ChunkDecoder: Sendable {
    /// What a call of `next` came to.
    package enum Step: Equatable, Sendable {
        /// All octets were looked at.
        case more
        /// The next octets of the body.
        case payload(Range<Int>)
        /// The body and its trailers are complete.
        case end
        case refused(Refusal)
    }

    private enum State: UInt8 {
        case size, sizeSpace, sizeEnd
        case extensionStart, extensionName, extensionNameSpace
        case extensionValueStart, extensionToken, quoted, quotedPair, extensionValueEnd
        case data, dataCR, dataLF
        case trailerStart, trailerName, trailerValue, trailerLF, endLF
    }

    private var state = State.size
    private var remaining = 0
    private var digits: UInt8 = 0
    private var extensionBytes = 0
    private var trailerBytes = 0
    private var trailerFields = 0
    private let limits: Limits
    /// How many octets of payload may still come.
    private var room: Int

    /// - Parameter bodyLimit: octets of payload; a chunk that would pass it is refused when its
    ///   size has come, before its data.
    package init(limits: Limits, bodyLimit: Int) {
        self.limits = limits
        self.room = bodyLimit
    }

    /// Looks at `bytes` from `position` on and moves `position` behind what was looked at.
    package mutating func next(_ bytes: Span<UInt8>, at position: inout Int) -> Step {
        while position < bytes.count {
            if state == .data {
                let count = min(remaining, bytes.count - position)
                let start = position
                position += count
                remaining -= count
                if remaining == 0 { state = .dataCR }
                return .payload(start..<position)
            }
            let octet = bytes[position]
            if state == .endLF {
                if octet != Octet.lf { return .refused(.trailer) }
                position += 1
                return .end
            }
            let refusal =
                state.rawValue >= State.trailerStart.rawValue
                ? trailer(octet)
                : state.rawValue >= State.extensionStart.rawValue
                    && state.rawValue <= State.extensionValueEnd.rawValue
                    ? chunkExtension(octet) : framing(octet)
            if let refusal { return .refused(refusal) }
            position += 1
        }
        return .more
    }

    /// `chunk-size`, line ends, and the line end after the data.
    private mutating func framing(_ octet: UInt8) -> Refusal? {
        switch state {
        case .size:
            if let value = Octet.hexValue(octet) {
                digits += 1
                // Fifteen digits cannot overflow; more serve only to hide something.
                if digits > 15 { return .chunk }
                remaining = remaining << 4 | Int(value)
                return nil
            }
            if digits == 0 { return .chunk }
            return afterSize(octet)
        case .sizeSpace:
            if octet == Octet.semicolon { return afterSize(octet) }
            return isBlank(octet) ? countExtension() : .chunk
        case .sizeEnd:
            if octet != Octet.lf { return .chunk }
            if remaining > room { return .bodyTooLarge }
            room -= remaining
            state = remaining == 0 ? .trailerStart : .data
            return nil
        case .dataCR:
            state = .dataLF
            return octet == Octet.cr ? nil : .chunk
        default:
            state = .size
            digits = 0
            return octet == Octet.lf ? nil : .chunk
        }
    }

    private mutating func afterSize(_ octet: UInt8) -> Refusal? {
        switch octet {
        case Octet.cr: state = .sizeEnd
        case Octet.semicolon:
            state = .extensionStart
            return countExtension()
        case Octet.space, Octet.tab:
            state = .sizeSpace
            return countExtension()
        default: return .chunk
        }
        return nil
    }

    /// `*( BWS ";" BWS name [ BWS "=" BWS ( token / quoted-string ) ] )` (RFC 9112 §7.1.1).
    private mutating func chunkExtension(_ octet: UInt8) -> Refusal? {
        let isToken = CharacterClass.token.contains(octet)
        switch (state, octet) {
        case (.quoted, Octet.quote): state = .extensionValueEnd
        case (.quoted, Octet.backslash): state = .quotedPair
        case (.quoted, _), (.quotedPair, _):
            if !CharacterClass.isFieldContent(octet) { return .chunk }
            state = .quoted
        case (.extensionStart, _) where isBlank(octet): break
        case (.extensionStart, _) where isToken: state = .extensionName
        case (.extensionName, _) where isToken: break
        case (.extensionName, Octet.equals), (.extensionNameSpace, Octet.equals):
            state = .extensionValueStart
        case (.extensionName, _) where isBlank(octet): state = .extensionNameSpace
        case (.extensionNameSpace, _) where isBlank(octet): break
        case (.extensionNameSpace, Octet.semicolon): state = .extensionStart
        case (.extensionValueStart, Octet.quote): state = .quoted
        case (.extensionValueStart, _) where isBlank(octet): break
        case (.extensionValueStart, _) where isToken: state = .extensionToken
        case (.extensionToken, _) where isToken: break
        case (.extensionName, _), (.extensionToken, _), (.extensionValueEnd, _):
            return afterSize(octet)
        default: return .chunk
        }
        return countExtension()
    }

    private mutating func countExtension() -> Refusal? {
        extensionBytes += 1
        return extensionBytes > limits.extensionBytes ? .chunk : nil
    }

    /// The trailer section: checked like field lines, counted, dropped (RFC 9112 §7.1.2).
    private mutating func trailer(_ octet: UInt8) -> Refusal? {
        trailerBytes += 1
        if trailerBytes > limits.headerBytes { return .headerTooLarge }
        switch state {
        case .trailerStart:
            if octet == Octet.cr {
                state = .endLF
                return nil
            }
            trailerFields += 1
            if trailerFields > limits.headerFields { return .tooManyFields }
            state = .trailerName
            return CharacterClass.token.contains(octet) ? nil : .trailer
        case .trailerName:
            if octet == Octet.colon {
                state = .trailerValue
            } else if !CharacterClass.token.contains(octet) {
                return .trailer
            }
        case .trailerValue:
            if octet == Octet.cr {
                state = .trailerLF
            } else if !CharacterClass.isFieldContent(octet) {
                return .trailer
            }
        default:
            state = .trailerStart
            return octet == Octet.lf ? nil : .trailer
        }
        return nil
    }

    private func isBlank(_ octet: UInt8) -> Bool { octet == Octet.space || octet == Octet.tab }
}
