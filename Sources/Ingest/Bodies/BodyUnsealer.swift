import Events
import Sealing

/// Finds a sealed body's key and opens it. One a worker; whatever goes wrong once the key is known is the one
/// `undecodable` (docs/protocol.md, The answer).
final class BodyUnsealer {
    private let coding = ContentCoding()
    private let legacy = LegacyCipher()
    private let jwe = JWE()
    /// Whether the body that was opened last was sealed by who has the symmetric key that it names, as far as
    /// its first record or its padding tells.
    private(set) var hasProvenKey = false

    /// What lies in the buffer after opening.
    struct Content {
        /// Bytes from the buffer's first.
        let count: Int
        /// Raw deflate, as the header of a JWE said.
        var isDeflated = false
    }

    func open(
        _ body: Span<UInt8>, _ admission: Admission, _ access: AccessList,
        into buffer: inout [UInt8]
    ) throws(BatchRefusal) -> (key: AccessList.Key, content: Content) {
        hasProvenKey = false
        return switch admission.format.profile {
        case .aes128gcm: try openContentCoding(body, admission, access, into: &buffer)
        case .jwe: try openJWE(body, admission, access, into: &buffer)
        case .legacy: try openLegacy(body, admission, into: &buffer)
        case .plain, .otlp: throw .undecodable
        }
    }

    /// The key that a body of RFC 8188 names in its header.
    func key(
        codedInto body: Span<UInt8>, _ admission: Admission, _ access: AccessList
    ) throws(BatchRefusal) -> AccessList.Key {
        let name = try decoded { () throws(SealError) in try ContentCoding.keyID(of: body) }
        return try access.key(
            named: body.extracting(name).withUnsafeBufferPointer {
                String(decoding: $0, as: UTF8.self)
            },
            profile: .aes128gcm, app: admission.app)
    }

    /// Whether opening takes longer than most: many records, each with its own start, RSA, or a long deflate
    /// stream.
    func takesLongToOpen(_ body: Span<UInt8>, _ format: BodyFormat) -> Bool {
        let isLongStream = body.count > Self.maxStreamBytes
        if format.isGzipped, isLongStream { return true }
        switch format.profile {
        case .aes128gcm: return ContentCoding.recordCount(of: body) > Self.maxRecords
        case .jwe:
            guard let header = try? JWE.Header.parse(body) else { return false }
            return header.algorithm == .rsaOAEP256 || header.isCompressed && isLongStream
        case .legacy, .plain, .otlp: return false
        }
    }

    /// Records of RFC 8188 that are opened within some milliseconds.
    private static let maxRecords = 4096
    /// Bytes of a body whose deflate stream is inflated within some three milliseconds, however little it holds: of
    /// blocks without content, every 13 bytes have tables of their own, which take some 4 µs.
    private static let maxStreamBytes = 8 << 10

    private func openContentCoding(
        _ body: Span<UInt8>, _ admission: Admission, _ access: AccessList,
        into buffer: inout [UInt8]
    ) throws(BatchRefusal) -> (AccessList.Key, Content) {
        let key = try key(codedInto: body, admission, access)
        guard case .symmetric(let secret) = key.material else { throw .undecodable }
        defer { hasProvenKey = coding.hasOpenedRecord }
        let count = try decoded { () throws(SealError) in
            try coding.open(body, secret: secret.span, into: &buffer)
        }
        return (key, Content(count: count))
    }

    private func openJWE(
        _ body: Span<UInt8>, _ admission: Admission, _ access: AccessList,
        into buffer: inout [UInt8]
    ) throws(BatchRefusal) -> (AccessList.Key, Content) {
        let header = try decoded { () throws(SealError) in try JWE.Header.parse(body) }
        let key = try access.key(
            named: String(decoding: header.keyID, as: UTF8.self), profile: .jwe, app: admission.app)
        guard case .pair(let pair) = key.material else { throw .undecodable }
        let count = try decoded { () throws(SealError) in
            try jwe.open(body, header: header, key: pair, into: &buffer)
        }
        return (key, Content(count: count, isDeflated: header.isCompressed))
    }

    private func openLegacy(
        _ body: Span<UInt8>, _ admission: Admission, into buffer: inout [UInt8]
    ) throws(BatchRefusal) -> (AccessList.Key, Content) {
        guard let key = admission.pathKey else { throw .unknownKey }
        guard case .symmetric(let secret) = key.material else { throw .undecodable }
        let count = try decoded { () throws(SealError) in
            try legacy.open(body, key: secret.span, into: &buffer)
        }
        hasProvenKey = true
        return (key, Content(count: count))
    }

    private func decoded<T>(_ work: () throws(SealError) -> T) throws(BatchRefusal) -> T {
        do throws(SealError) { return try work() } catch { throw .undecodable }
    }
}
