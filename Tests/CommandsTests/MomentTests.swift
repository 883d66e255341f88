import Testing

@testable import Commands

@Suite("moments that are given to a command")
struct MomentTests {
    @Test(
        "a time, or milliseconds since 1970",
        arguments: [
            ("1970-01-01T00:00:01Z", 1_000), ("2024-02-29T00:00:00Z", 1_709_164_800_000),
            ("2024-02-29T02:00:00+02:00", 1_709_164_800_000), ("1709164800000", 1_709_164_800_000),
            ("0", 0),
        ])
    func taken(text: String, moment: Int64) {
        #expect(Moment.milliseconds(text) == moment)
    }

    @Test(
        "what is neither is refused, and days that do not exist",
        arguments: [
            "", "now", "-1", "2026-11-24", "2026-02-30T00:00:00Z", "2026-02-29T00:00:00Z",
            "2026-13-01T00:00:00Z", "2026-11-24T24:00:01Z", "2026-11-24T18:60:00Z",
            "2026-11-24T18:00:00", "20261124T180000Z", "9223372036854775808",
        ])
    func refused(text: String) {
        #expect(Moment.milliseconds(text) == nil)
    }
}
