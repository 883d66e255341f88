import FuzzSupport
import Sealing

/// Opens bodies with one opener, as a worker does.
enum Bodies {
    nonisolated(unsafe) private static let worker = Worker()

    private final class Worker {
        let jwe = JWE()
        var scratch: [UInt8] = []
    }

    static func header(_ body: [UInt8]) -> JWE.Header? { try? JWE.Header.parse(body.span) }

    /// The content; nil if the body does not open.
    static func open(_ body: [UInt8], _ header: JWE.Header, _ key: PrivateKey) -> [UInt8]? {
        do throws(SealError) {
            let count = try worker.jwe.open(
                body.span, header: header, key: key, into: &worker.scratch)
            expect(count <= worker.scratch.count && count < body.count, "\(count) octets")
            return Array(worker.scratch[..<count])
        } catch {
            return nil
        }
    }

    /// Nobody can guess a tag: no octets that were not sealed open.
    static func check(_ body: [UInt8]) {
        guard let header = header(body) else { return }
        for algorithm in KeyAlgorithm.allCases {
            expect(open(body, header, Keys.key(algorithm)) == nil, "a forged body opens")
        }
    }
}
