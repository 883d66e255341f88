import Compression
import FuzzSupport

/// Inflates with each library that was built in, which have to agree, except that libdeflate may find
/// content where zlib finds a reserved symbol (`InflateBackend`).
enum Inflation {
    enum Form { case raw, gzip }

    enum Outcome: Equatable {
        case content([UInt8])
        case refused(InflateError)
    }

    /// One of each library, used for every input as a worker does.
    nonisolated(unsafe) private static let workers = InflateBackend.allCases.map(Worker.init)

    private final class Worker {
        let inflater: Inflater
        var scratch: [UInt8] = []

        init(_ backend: InflateBackend) { inflater = Inflater(backend) }
    }

    static func agreed(_ body: [UInt8], _ form: Form, limit: Int) -> Outcome {
        var outcomes: [Outcome] = []
        for worker in workers {
            outcomes.append(run(worker.inflater, body, form, limit, &worker.scratch))
            // Room of a size that is known shows what this body made it grow to.
            var room: [UInt8] = []
            outcomes.append(run(worker.inflater, body, form, limit, &room))
            expect(
                room.count <= max(limit, 0) + 1, "room of \(room.count) octets for at most \(limit)"
            )
            // What is kept between bodies here is bounded too.
            if worker.scratch.count > 1 << 20 { worker.scratch = [] }
        }
        guard let strict = outcomes.last else { return .refused(.damaged) }
        for outcome in outcomes where outcome != strict {
            if case .content = outcome, strict == .refused(.damaged) { continue }
            expect(
                false, "the libraries differ: \(describe(strict)) and \(describe(outcome))")
        }
        return strict
    }

    private static func run(
        _ inflater: Inflater, _ body: [UInt8], _ form: Form, _ limit: Int, _ room: inout [UInt8]
    ) -> Outcome {
        let before = room.count
        do throws(InflateError) {
            let count =
                switch form {
                case .raw: try inflater.inflateRaw(body.span, limit: limit, into: &room)
                case .gzip: try inflater.gunzip(body.span, limit: limit, into: &room)
                }
            expect(count <= limit && count <= room.count, "\(count) octets of at most \(limit)")
            expect(room.count >= before, "the room shrank")
            return .content(Array(room[..<count]))
        } catch {
            return .refused(error)
        }
    }

    private static func describe(_ outcome: Outcome) -> String {
        switch outcome {
        case .content(let octets): "\(octets.count) octets"
        case .refused(let error): "\(error)"
        }
    }
}
