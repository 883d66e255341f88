import Query
import Reports
import StoreTestSupport

/// The reports that go by arrival.
extension Twin {
    func quality() -> [[Cell]] {
        bucketDays.map { start, days in
            func isHere(_ time: Int64) -> Bool { days.contains(day(time)) }
            let here = batches.filter { isHere($0.receivedAt) && matches($0) }
            let again = batches.filter(matches).flatMap(\.repeats).filter { isHere($0.time) }
            let late = here.flatMap { batch in batch.left.map { batch.receivedAt - $0.event.time } }
                .sorted()
            func rank(_ percent: Int) -> Cell {
                late.isEmpty
                    ? .null
                    : .decimal(units: late[(percent * late.count + 99) / 100 - 1], places: 3)
            }
            let bytes = here.map(\.bytes) + again.map(\.bytes)
            return [
                .text(start.text), .int(Int64(here.count)), .int(Int64(again.count)),
                .int(Int64(here.reduce(0) { $0 + $1.events.count })),
                .int(Int64(here.reduce(0) { $0 + $1.rejected.count })), .int(bytes.reduce(0, +)),
                .int(Int64(here.count { $0.clockShift != 0 })), rank(50), rank(95),
                .int(holes.filter { isHere($0.time) }.reduce(0) { $0 + $1.missing }),
                .int(here.reduce(0) { $0 + $1.dropped }),
            ]
        }
    }

    /// Numbers that are missing before each number of each device, and when that first arrived.
    var holes: [(missing: Int64, time: Int64)] {
        Set(batches.map(\.device)).subtracting(shared).flatMap { device in
            let own = batches.filter { $0.device == device && $0.sequence != nil }
            return own.compactMap { batch -> (missing: Int64, time: Int64)? in
                guard let number = batch.sequence,
                    let before = own.compactMap(\.sequence).filter({ $0 < number }).max(),
                    number - before <= 10_000,
                    // Once for each number.
                    batch.id == own.filter({ $0.sequence == number }).map(\.id).min()
                else { return nil }
                let time = own.filter { $0.sequence == number }.map(\.receivedAt).min()
                return (number - before - 1, time ?? 0)
            }
        }
    }

    /// Batches by a name of theirs, for `by_profile` and `by_key`.
    func batches(by name: (SentBatch) -> String?) -> Cell {
        let names = batches.filter { (from...to).contains(day($0.receivedAt)) && matches($0) }
            .compactMap(name)
        return .counts(
            Set(names).sorted().map { name in
                NamedCount(ByteText(name), names.count { $0 == name })
            })
    }

    /// Sums by client, for `by_client`: so many by their names, and those of all others.
    func clients(named count: Int) -> Arrivals.Clients {
        let here = batches.filter { (from...to).contains(day($0.receivedAt)) && matches($0) }
        let groups = Dictionary(grouping: here) { batch in
            ByteText(
                value(batch, "telemetry.sdk.name") + "/" + value(batch, "telemetry.sdk.version"))
        }
        func sums(_ batches: [SentBatch]) -> Arrivals.ClientSums {
            var sums = Arrivals.ClientSums()
            sums.batches = batches.count
            sums.rejected = Int64(batches.reduce(0) { $0 + $1.rejected.count })
            let dropped = batches.reduce(Int128(0)) { $0 + Int128($1.dropped) }
            sums.dropped = Int64(min(dropped, Int128(Cell.greatest)))
            return sums
        }
        let order = groups.sorted { a, b in
            a.value.count != b.value.count ? a.value.count > b.value.count : a.key < b.key
        }
        var clients = Arrivals.Clients()
        clients.named = order.prefix(count).sorted { $0.key < $1.key }
            .map { (name: $0.key, sums: sums($0.value)) }
        if order.count > count {
            clients.others = sums(order.dropFirst(count).flatMap(\.value))
        }
        return clients
    }

    /// What `quality` says of them, of whom few enough have names.
    static func clients(_ clients: Arrivals.Clients) -> Cell {
        .countsByName(
            clients.named.map { client in
                NamedCounts(
                    client.name,
                    [
                        NamedCount(ByteText("batches"), client.sums.batches),
                        NamedCount(ByteText("rejected"), Int(client.sums.rejected)),
                        NamedCount(ByteText("dropped_events"), Int(client.sums.dropped)),
                    ])
            })
    }

    /// By date and code, from refused batches too.
    func rejects(_ refused: [(code: String, time: Int64)]) -> [[Cell]] {
        let events = batches.flatMap { batch in
            batch.rejected.map { (code: $0, time: batch.receivedAt) }
        }
        return bucketDays.flatMap { start, days in
            Set((events + refused).map(\.code)).sorted().compactMap { code in
                func count(_ list: [(code: String, time: Int64)]) -> Int64 {
                    Int64(list.count { $0.code == code && days.contains(day($0.time)) })
                }
                let (whole, single) = (count(refused), count(events))
                return whole + single == 0
                    ? nil : [.text(start.text), .text(code), .int(whole), .int(single)]
            }
        }
    }
}
