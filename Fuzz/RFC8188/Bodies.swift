import FuzzSupport
import Sealing

/// Opens bodies with one opener, as a worker does.
enum Bodies {
    static let secret: [UInt8] = Array(0..<32)

    nonisolated(unsafe) private static let worker = Worker()

    private final class Worker {
        let coding = ContentCoding()
        var scratch: [UInt8] = []
    }

    /// The content; nil if the body does not open.
    static func open(_ body: [UInt8]) -> [UInt8]? {
        do throws(SealError) {
            let count = try worker.coding.open(
                body.span, secret: secret.span, into: &worker.scratch)
            expect(count <= worker.scratch.count && count < body.count, "\(count) octets")
            return Array(worker.scratch[..<count])
        } catch {
            return nil
        }
    }

    /// Nobody can guess a tag: no octets that were not sealed open.
    static func check(_ body: [UInt8]) {
        if let range = try? ContentCoding.keyID(of: body.span) {
            expect(
                range.lowerBound == 21 && range.count == Int(body[20])
                    && range.upperBound <= body.count, "a key id at \(range)")
        } else {
            expect(body.count < 21 + Int(body.count > 20 ? body[20] : 0), "no key id")
        }
        expect(open(body) == nil, "a forged body opens")
    }
}
