import Query
import Reports
import Testing

@Suite("Cells")
struct CellTests {
    @Test(
        "ratios are rounded half up to six decimals, once",
        arguments: [
            (1, 3, "0.333333"), (2, 3, "0.666667"), (1, 128, "0.007813"), (1, 1, "1.000000"),
            (0, 5, "0.000000"), (1, 2_000_000, "0.000001"), (1, 2_000_001, "0.000000"),
            (7, 2, "3.500000"), (1_999_999, 2_000_000, "1.000000"),
        ])
    func ratios(a: Int, b: Int, text: String) {
        guard case .decimal(let units, let places) = Cell.ratio(a, over: b) else {
            Issue.record("not a decimal")
            return
        }
        #expect(Cell.digits(units: units, places: places) == text)
    }

    @Test("a ratio over 0 and a mean of nothing are null")
    func nothing() {
        #expect(Cell.ratio(0, over: 0) == .null)
        #expect(Cell.ratio(5, over: 0) == .null)
        #expect(Cell.meanSeconds(0, count: 0) == .null)
    }

    @Test("ratios of the largest sums do not overflow")
    func large() {
        let sum = Int128(Cell.greatest)
        #expect(
            Cell.ratio(sum * (1 << 32), over: sum * (1 << 33))
                == .decimal(units: 500_000, places: 6))
        #expect(Cell.ratio(Int128.max, over: 1) == .decimal(units: Int64.max, places: 6))
    }

    @Test("sums saturate at 2^53−1")
    func saturation() {
        #expect(Cell.sum(Int128(Cell.greatest) + 1) == .int(9_007_199_254_740_991))
        #expect(Cell.sum(Int128(Cell.greatest)) == .int(9_007_199_254_740_991))
        #expect(
            Cell.seconds(Int128(Int64.max)) == .decimal(units: 9_007_199_254_740_991, places: 3))
    }

    @Test("means are rounded half up to milliseconds")
    func means() {
        #expect(Cell.meanSeconds(5, count: 2) == .decimal(units: 3, places: 3))
        #expect(Cell.meanSeconds(4, count: 3) == .decimal(units: 1, places: 3))
        #expect(Cell.digits(units: 3, places: 3) == "0.003")
        #expect(Cell.digits(units: -1_234_567, places: 3) == "-1234.567")
    }

    @Test("texts are equal and ordered by their bytes")
    func bytes() {
        #expect(ByteText("é") != ByteText("e\u{301}"))
        #expect(ByteText("\u{FFFD}") < ByteText("\u{1F600}"))
        #expect(ByteText("Z") < ByteText("a"))
        #expect(ByteText("e\u{301}") < ByteText("f"))
        #expect(ByteText("e\u{301}") < ByteText("é"))
        #expect(ByteText("a") < ByteText("aa"))
    }
}
