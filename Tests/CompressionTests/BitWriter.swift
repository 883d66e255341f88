/// Writes deflate streams bit by bit (RFC 1951 §3.1.1), also such as no compressor makes.
struct BitWriter {
    private(set) var octets: [UInt8] = []
    private var used = 0

    /// A number, least significant bit first.
    mutating func number(_ value: Int, bits: Int) {
        for place in 0..<bits { bit(value >> place & 1) }
    }

    /// A Huffman code, most significant bit first.
    mutating func code(_ value: Int, bits: Int) {
        for place in (0..<bits).reversed() { bit(value >> place & 1) }
    }

    /// A literal or length symbol in the fixed code (RFC 1951 §3.2.6).
    mutating func fixed(_ symbol: Int) {
        switch symbol {
        case 0..<144: code(0x30 + symbol, bits: 8)
        case 144..<256: code(0x190 + symbol - 144, bits: 9)
        case 256..<280: code(symbol - 256, bits: 7)
        default: code(0xc0 + symbol - 280, bits: 8)
        }
    }

    private mutating func bit(_ value: Int) {
        if used == 0 { octets.append(0) }
        octets[octets.count - 1] |= UInt8(value << used)
        used = (used + 1) & 7
    }
}
