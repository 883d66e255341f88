import FuzzSupport
import HTTP1

/// A connection comes to the same however its octets are cut, and what it takes is what a plain
/// reading of them says.
enum Connections {
    static func run(_ input: [UInt8], _ cuts: [Int], _ choices: Choices) {
        let whole = play(input, Cuts.whole(input.count), choices)
        let pieces = play(input, cuts, choices)
        expect(whole == pieces, "cut at \(cuts): \(whole) became \(pieces)")
        if input.count <= 2048 {
            let octets = play(input, Cuts.byteByByte(input.count), choices)
            expect(whole == octets, "byte by byte: \(whole) became \(octets)")
        }
    }

    private static func play(_ input: [UInt8], _ cuts: [Int], _ choices: Choices) -> [String] {
        let driver = Driver(choices)
        // Where messages begin and end is known only while the window is not compacted.
        if cuts.count == 1 { driver.original = input }
        var start = 0
        for cut in cuts {
            driver.feed(input[start..<cut])
            start = cut
        }
        driver.end()
        return driver.log
    }
}
