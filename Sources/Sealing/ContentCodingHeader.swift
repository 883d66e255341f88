/// The header block of RFC 8188 §2.1: salt (16 bytes), record size (4), length of the key id (1),
/// key id.
struct ContentCodingHeader {
    let recordSize: Int
    let keyID: Range<Int>

    /// Where the first record begins.
    var end: Int { keyID.upperBound }

    /// Bytes in front of the key id.
    static let fixed = ContentCoding.saltSize + 5

    /// Reads it, judging nothing but that it is whole.
    init(_ body: Span<UInt8>) throws(SealError) {
        let fixed = Self.fixed
        guard body.count >= fixed, body.count - fixed >= Int(body[fixed - 1])
        else { throw .undecodable }
        recordSize =
            Int(body[16]) << 24 | Int(body[17]) << 16 | Int(body[18]) << 8 | Int(body[19])
        keyID = fixed..<fixed + Int(body[fixed - 1])
    }
}
