import Events
import Sealing

/// Finds a sealed body's key and opens it. One a worker; whatever goes wrong behind the key is the one
/// `undecodable` (docs/protocol.md, The answer).
final class BodyOpener {
    private let coding = ContentCoding()
    private let legacy = LegacyCipher()
    private let jwe = JWE()

    /// What lies in the buffer after opening.
    struct Content {
        /// Octets from the buffer's first.
        let count: Int
        /// Raw deflate, as the header of a JWE said.
        var isDeflated = false
    }

    func open(
        _ body: Span<UInt8>, _ admission: Admission, _ directory: Directory,
        into buffer: inout [UInt8]
    ) throws(Refusal) -> (key: Directory.Key, content: Content) {
        switch admission.format.profile {
        case .aes128gcm: try openContentCoding(body, admission, directory, into: &buffer)
        case .jwe: try openJWE(body, admission, directory, into: &buffer)
        case .legacy: try openLegacy(body, admission, into: &buffer)
        case .plain: throw .undecodable
        }
    }

    /// The key that a body of RFC 8188 names in its header.
    func key(
        codedInto body: Span<UInt8>, _ admission: Admission, _ directory: Directory
    ) throws(Refusal) -> Directory.Key {
        let name = try decoded { () throws(SealError) in try ContentCoding.keyID(of: body) }
        return try directory.key(
            named: body.extracting(name).withUnsafeBufferPointer {
                String(decoding: $0, as: UTF8.self)
            },
            profile: .aes128gcm, app: admission.app)
    }

    /// Whether opening takes longer than most: many records, each with its own start, or RSA.
    func isLaborious(_ body: Span<UInt8>, _ profile: Profile) -> Bool {
        switch profile {
        case .aes128gcm: ContentCoding.recordCount(of: body) > Self.manyRecords
        case .jwe: (try? JWE.Header.parse(body))?.algorithm == .rsaOAEP256
        case .legacy, .plain: false
        }
    }

    /// Records of RFC 8188 that are opened within some milliseconds.
    private static let manyRecords = 4096

    private func openContentCoding(
        _ body: Span<UInt8>, _ admission: Admission, _ directory: Directory,
        into buffer: inout [UInt8]
    ) throws(Refusal) -> (Directory.Key, Content) {
        let key = try key(codedInto: body, admission, directory)
        guard case .symmetric(let secret) = key.material else { throw .undecodable }
        let count = try decoded { () throws(SealError) in
            try coding.open(body, secret: secret.span, into: &buffer)
        }
        return (key, Content(count: count))
    }

    private func openJWE(
        _ body: Span<UInt8>, _ admission: Admission, _ directory: Directory,
        into buffer: inout [UInt8]
    ) throws(Refusal) -> (Directory.Key, Content) {
        let header = try decoded { () throws(SealError) in try JWE.Header.parse(body) }
        let key = try directory.key(
            named: String(decoding: header.keyID, as: UTF8.self), profile: .jwe, app: admission.app)
        guard case .pair(let pair) = key.material else { throw .undecodable }
        let count = try decoded { () throws(SealError) in
            try jwe.open(body, header: header, key: pair, into: &buffer)
        }
        return (key, Content(count: count, isDeflated: header.isCompressed))
    }

    private func openLegacy(
        _ body: Span<UInt8>, _ admission: Admission, into buffer: inout [UInt8]
    ) throws(Refusal) -> (Directory.Key, Content) {
        guard let key = admission.pathKey else { throw .unknownKey }
        guard case .symmetric(let secret) = key.material else { throw .undecodable }
        let count = try decoded { () throws(SealError) in
            try legacy.open(body, key: secret.span, into: &buffer)
        }
        return (key, Content(count: count))
    }

    private func decoded<T>(_ work: () throws(SealError) -> T) throws(Refusal) -> T {
        do throws(SealError) { return try work() } catch { throw .undecodable }
    }
}
