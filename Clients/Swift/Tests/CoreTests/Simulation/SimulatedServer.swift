import JSON

@testable import Core

/// A server that keeps the account of what it has stored, answers as it is told, and writes down what a
/// client must never do.
final class SimulatedServer {
    /// What it does with a request.
    enum Reaction {
        case store
        /// It stores the batch, and its answer is lost.
        case storeAndLose
        /// Nothing arrives.
        case lose
        /// A problem with a code.
        case refuse(Int, String)
        /// A proxy on the way finds it too large.
        case tooLarge
        /// It says that it has stored another batch.
        case storeAnother
        /// A network answers in its place.
        case portal
    }

    /// A batch as it came.
    struct Batch {
        var id = ""
        var installation = ""
        var sequence: Int64 = 0
        var dropped: Int64 = 0
        /// The events' JSON.
        var events: [String] = []
        /// The whole text but for `sent_at`.
        var text = ""
    }

    /// `Retry-After` of its refusals.
    var retryAfter: String?
    /// What it does with the next requests; afterwards it stores.
    var script: [Reaction] = []
    /// Batches that are stored, by their ids.
    private(set) var stored: [String: Batch] = [:]
    /// The ids of batches in the order in which they were stored first.
    private(set) var order: [String] = []
    /// How often each event is stored.
    private(set) var events: [String: Int] = [:]
    /// Requests that came.
    private(set) var requests = 0
    /// Events of stored batches that were refused for good afterwards, or by a proxy: they are accounted twice.
    private(set) var twice = 0
    /// Events that may come again in another batch: a proxy has refused one that was stored.
    private var repeatable: Set<String> = []
    /// What a client must never do.
    var faults: [String] = []
    private var seen: [String: Batch] = [:]
    /// The batch that has a sequence of an installation.
    private var sequences: [String: String] = [:]

    /// Events that are stored.
    var count: Int { events.values.reduce(0, +) }
    /// What stored batches told of dropped events.
    var told: Int64 { stored.values.reduce(0) { $0 + $1.dropped } }

    /// Takes a request.
    func answer(_ text: [UInt8]) -> Reply {
        requests += 1
        let reaction = script.isEmpty ? .store : script.removeFirst()
        if case .lose = reaction { return .failure("no answer") }
        if case .portal = reaction { return response(200, "text/html", "<html>") }
        guard let batch = Batch(text) else {
            faults.append("a request is no batch: \(String(decoding: text, as: UTF8.self))")
            return problem(400, "malformed-json")
        }
        note(batch)
        switch reaction {
        case .store: return store(batch)
        case .storeAndLose:
            _ = store(batch)
            return .failure("the answer is lost")
        case .storeAnother:
            let other = "{\"batch_id\":\"another\",\"accepted\":1,\"rejected\":0}"
            return response(200, "application/json", other)
        case .refuse(let status, let code):
            let treatment = AnswerCode.find(status: status, name: code)?.treatment
            // What was not too large once is not too large later.
            if treatment == .split, stored[batch.id] != nil { return store(batch) }
            if treatment == .split || treatment == .retrySmaller {
                sequences[batch.sequenceKey] = nil
            }
            if treatment == .drop, stored[batch.id] != nil {
                twice += batch.events.count + Int(batch.dropped)
            }
            return problem(status, code)
        case .tooLarge:
            sequences[batch.sequenceKey] = nil
            if stored[batch.id] != nil {
                twice += batch.events.count + Int(batch.dropped)
                repeatable.formUnion(batch.events)
            }
            return response(413, "text/html", "<h1>413 Request Entity Too Large</h1>")
        case .lose, .portal: return .failure("no answer")
        }
    }

    private func note(_ batch: Batch) {
        if let before = seen[batch.id], before.text != batch.text {
            faults.append("two texts of one batch: \(before.text) and \(batch.text)")
        }
        seen[batch.id] = batch
        if let other = sequences[batch.sequenceKey], other != batch.id {
            faults.append("two batches have the sequence \(batch.sequenceKey)")
        }
        sequences[batch.sequenceKey] = batch.id
    }

    private func store(_ batch: Batch) -> Reply {
        if stored[batch.id] == nil {
            stored[batch.id] = batch
            order.append(batch.id)
            for event in batch.events {
                events[event, default: 0] += 1
                if events[event] != 1, !repeatable.contains(event) {
                    faults.append("stored twice: \(event)")
                }
            }
        }
        return response(
            200, "application/json",
            "{\"batch_id\":\"\(batch.id)\",\"accepted\":\(batch.events.count),\"rejected\":0}")
    }

    private func problem(_ status: Int, _ code: String) -> Reply {
        response(
            status, "application/problem+json", "{\"code\":\"\(code)\",\"detail\":\"\"}",
            retryAfter: retryAfter)
    }

    private func response(
        _ status: Int, _ type: String, _ body: String, retryAfter: String? = nil
    ) -> Reply {
        .answer(
            .init(
                status: status, mediaType: type, retryAfter: retryAfter, date: nil,
                body: Array(body.utf8)))
    }
}

extension SimulatedServer.Batch {
    fileprivate var sequenceKey: String { "\(installation) \(sequence)" }

    /// Reads a batch; nil for anything else.
    init?(_ bytes: [UInt8]) {
        func string(_ range: Range<Int>) -> String {
            String(decoding: bytes[range], as: UTF8.self)
        }
        var scanner = Scanner()
        do throws(Malformed) {
            try scanner.reset(bytes.span)
            guard try scanner.value(bytes.span).kind == .object else { return nil }
            while let name = try scanner.member(bytes.span) {
                let token = try scanner.value(bytes.span)
                switch name.text.string(in: bytes) {
                case "batch_id": id = token.text?.string(in: bytes) ?? ""
                case "sequence": sequence = token.integer ?? 0
                case "dropped_events": dropped = token.integer ?? 0
                case "resource":
                    let member = try scanner.member(bytes.span)
                    let value = try scanner.value(bytes.span)
                    guard member?.text.string(in: bytes) == "app.installation.id" else {
                        return nil
                    }
                    installation = value.text?.string(in: bytes) ?? ""
                case "events":
                    while try scanner.element(bytes.span) {
                        let event = try scanner.value(bytes.span)
                        try scanner.skipRest(of: event, bytes.span)
                        events.append(string(event.start..<scanner.position))
                    }
                    continue
                default: break
                }
                try scanner.skipRest(of: token, bytes.span)
                if name.text.string(in: bytes) != "sent_at" {
                    text += string(name.text.start..<scanner.position)
                }
            }
            try scanner.finish(bytes.span)
        } catch {
            return nil
        }
        text += events.joined()
        guard !id.isEmpty, sequence > 0 else { return nil }
    }
}
