/// Takes a chunked body apart (RFC 9112 §7.1), piece by piece, each byte once.
///
/// Extensions are checked and dropped, bounded in all; trailers too. White space is allowed only
/// where the grammar has `BWS`, so nothing can be read in two ways.
package struct ChunkDecoder: Sendable {
    /// What a call of `next` came to.
    package enum Step: Equatable, Sendable {
        /// All bytes were looked at.
        case more
        /// The next bytes of the body.
        case payload(Range<Int>)
        /// The body and its trailers are complete.
        case end
        case refused(RequestRefusal)
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
    private let limits: RequestLimits
    /// Bytes of payload that may still follow.
    private var room: Int

    /// - Parameter bodyLimit: bytes of payload; a chunk that would pass it is refused when its
    ///   size has come, before its data.
    package init(limits: RequestLimits, bodyLimit: Int) {
        self.limits = limits
        self.room = bodyLimit
    }

    /// Reads `bytes` from `position` on and moves `position` past what it has read.
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
            let byte = bytes[position]
            if state == .endLF {
                if byte != Byte.lf { return .refused(.trailer) }
                position += 1
                return .end
            }
            let refusal =
                state.rawValue >= State.trailerStart.rawValue
                ? trailer(byte)
                : state.rawValue >= State.extensionStart.rawValue
                    && state.rawValue <= State.extensionValueEnd.rawValue
                    ? chunkExtension(byte) : framing(byte)
            if let refusal { return .refused(refusal) }
            position += 1
        }
        return .more
    }

    /// `chunk-size`, line ends, and the line end after the data.
    private mutating func framing(_ byte: UInt8) -> RequestRefusal? {
        switch state {
        case .size:
            if let value = Byte.hexValue(byte) {
                digits += 1
                // Fifteen digits cannot overflow; more serve only to hide something.
                if digits > 15 { return .chunk }
                remaining = remaining << 4 | Int(value)
                return nil
            }
            if digits == 0 { return .chunk }
            return afterSize(byte)
        case .sizeSpace:
            if byte == Byte.semicolon { return afterSize(byte) }
            return isBlank(byte) ? countExtension() : .chunk
        case .sizeEnd:
            if byte != Byte.lf { return .chunk }
            if remaining > room { return .bodyTooLarge }
            room -= remaining
            state = remaining == 0 ? .trailerStart : .data
            return nil
        case .dataCR:
            state = .dataLF
            return byte == Byte.cr ? nil : .chunk
        default:
            state = .size
            digits = 0
            return byte == Byte.lf ? nil : .chunk
        }
    }

    private mutating func afterSize(_ byte: UInt8) -> RequestRefusal? {
        switch byte {
        case Byte.cr: state = .sizeEnd
        case Byte.semicolon:
            state = .extensionStart
            return countExtension()
        case Byte.space, Byte.tab:
            state = .sizeSpace
            return countExtension()
        default: return .chunk
        }
        return nil
    }

    /// `*( BWS ";" BWS name [ BWS "=" BWS ( token / quoted-string ) ] )` (RFC 9112 §7.1.1).
    private mutating func chunkExtension(_ byte: UInt8) -> RequestRefusal? {
        let isToken = CharacterClass.token.contains(byte)
        switch (state, byte) {
        case (.quoted, Byte.quote): state = .extensionValueEnd
        case (.quoted, Byte.backslash): state = .quotedPair
        case (.quoted, _), (.quotedPair, _):
            if !CharacterClass.isFieldContent(byte) { return .chunk }
            state = .quoted
        case (.extensionStart, _) where isBlank(byte): break
        case (.extensionStart, _) where isToken: state = .extensionName
        case (.extensionName, _) where isToken: break
        case (.extensionName, Byte.equals), (.extensionNameSpace, Byte.equals):
            state = .extensionValueStart
        case (.extensionName, _) where isBlank(byte): state = .extensionNameSpace
        case (.extensionNameSpace, _) where isBlank(byte): break
        case (.extensionNameSpace, Byte.semicolon): state = .extensionStart
        case (.extensionValueStart, Byte.quote): state = .quoted
        case (.extensionValueStart, _) where isBlank(byte): break
        case (.extensionValueStart, _) where isToken: state = .extensionToken
        case (.extensionToken, _) where isToken: break
        case (.extensionName, _), (.extensionToken, _), (.extensionValueEnd, _):
            return afterSize(byte)
        default: return .chunk
        }
        return countExtension()
    }

    private mutating func countExtension() -> RequestRefusal? {
        extensionBytes += 1
        return extensionBytes > limits.extensionBytes ? .chunk : nil
    }

    /// The trailer section: checked like field lines, counted, dropped (RFC 9112 §7.1.2).
    private mutating func trailer(_ byte: UInt8) -> RequestRefusal? {
        trailerBytes += 1
        if trailerBytes > limits.headerBytes { return .headerTooLarge }
        switch state {
        case .trailerStart:
            if byte == Byte.cr {
                state = .endLF
                return nil
            }
            trailerFields += 1
            if trailerFields > limits.headerFields { return .tooManyFields }
            state = .trailerName
            return CharacterClass.token.contains(byte) ? nil : .trailer
        case .trailerName:
            if byte == Byte.colon {
                state = .trailerValue
            } else if !CharacterClass.token.contains(byte) {
                return .trailer
            }
        case .trailerValue:
            if byte == Byte.cr {
                state = .trailerLF
            } else if !CharacterClass.isFieldContent(byte) {
                return .trailer
            }
        default:
            state = .trailerStart
            return byte == Byte.lf ? nil : .trailer
        }
        return nil
    }

    private func isBlank(_ byte: UInt8) -> Bool { byte == Byte.space || byte == Byte.tab }
}
