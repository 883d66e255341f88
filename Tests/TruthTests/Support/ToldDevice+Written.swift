import Client

@testable import Truth

/// Events, briefly: `["a", "b"]` are two batches.
struct Written {
    var name: String
    /// From noon, milliseconds.
    var at: Int64
    var session: String?
    var attributes: [(key: String, value: Client.Value)]
    var batch: Int
}

func event(
    _ name: String, _ at: Int64, _ session: String? = nil, batch: Int = 0,
    _ attributes: [(key: String, value: Client.Value)] = []
) -> Written {
    Written(name: name, at: at, session: session, attributes: attributes, batch: batch)
}

extension ToldDevice {
    /// A device of batches that are all alike but for what is given.
    init(
        _ events: [Written], batches: [String] = ["b"], os: [String?] = ["iOS"],
        versions: [String?] = ["1"], corrected: Set<Int> = [], isShared: Bool = false
    ) {
        self.init(
            isShared: isShared,
            batches: batches.enumerated().map { number, id in
                ToldBatch(
                    id: id,
                    resource: ToldResource(
                        osName: os[number % os.count],
                        serviceVersion: versions[number % versions.count]),
                    sequence: Int64(number), accepted: Int64(events.count { $0.batch == number }),
                    isCorrected: corrected.contains(number), posted: noon + 40 * dayLength)
            },
            events: events.enumerated().map { index, event in
                ToldEvent(
                    name: event.name, time: noon + event.at, session: event.session,
                    attributes: event.attributes, batch: event.batch, index: index)
            })
    }
}
