import Testing

@testable import Commands
@testable import Service

@Suite("what prune says")
struct PruneTextTests {
    @Test(
        "of room only where there is something to say",
        arguments: [
            (0, 0, 0, "pruned no events from before 2026-03-28 12:00:00Z\n"),
            (
                7, 0, 0,
                "pruned 7 events from before 2026-03-28 12:00:00Z, "
                    + "the room they had in the database is used again\n"
            ),
            (7, nil, 0, "pruned 7 events from before 2026-03-28 12:00:00Z\n"),
            (
                7, 8192, 2,
                "pruned 7 events from before 2026-03-28 12:00:00Z, "
                    + "the database is 8192 octets smaller\n"
                    + "2 damaged batches were left alone; run sojourn verify\n"
            ),
        ] as [(Int64, Int64?, Int64, String)])
    func text(_ events: Int64, _ freed: Int64?, _ damaged: Int64, _ text: String) {
        let pruned = PruneSummary(
            before: 1_774_699_200_000, events: events, freedBytes: freed, damaged: damaged)
        #expect(PruneCommand.text(pruned) == text)
    }
}
