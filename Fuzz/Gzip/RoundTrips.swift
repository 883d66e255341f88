import Compression
import FuzzSupport

/// What was compressed inflates to itself, exactly up to its own size as limit.
enum RoundTrips {
    static func check(content: [UInt8], level: Int, limit: Int) {
        let bodies: [([UInt8], Inflation.Form)] = [
            (Gzip.compress(content.span, level: level), .gzip),
            (Deflate.compress(content.span, level: level), .raw),
        ]
        for (body, form) in bodies {
            let whole = Inflation.agreed(body, form, limit: content.count)
            expect(whole == .content(content), "\(content.count) octets became others")
            let bounded = Inflation.agreed(body, form, limit: limit)
            expect(
                bounded == (limit < content.count ? .refused(.tooLarge) : .content(content)),
                "\(content.count) octets within \(limit) are \(bounded)")
            let longer = Inflation.agreed(body + [0], form, limit: content.count)
            expect(longer == .refused(.damaged), "with an octet behind it is \(longer)")
        }
    }
}
