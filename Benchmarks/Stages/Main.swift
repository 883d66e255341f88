import Glibc
import Sealing
import Storage

/// The stages of a batch's way, each by itself, on one thread (the writer on its own): nanoseconds an
/// event and allocations a batch, as one JSON array. `stages REQUESTS KEY SECRET FOLDER ROUNDS`
@main
enum Main {
    static func main() throws {
        let given = CommandLine.arguments
        guard given.count == 6, let file = RequestFile(given[1]),
            let secret = Hex.decode(Array(given[3].utf8).span),
            let rounds = Int(given[5]), rounds > 0, !file.requests.isEmpty
        else {
            print("usage: stages REQUESTS KEY SECRET FOLDER ROUNDS")
            exit(64)
        }
        let pipeline = try Pipeline(
            requests: file.requests, key: given[2], secret: secret, arrival: Store.wallClock())
        let meter = Meter(
            batches: pipeline.bodies.count, events: pipeline.events, rounds: rounds)
        let writing = try WriteStage(pipeline.accepted, folder: given[4])
        let found = [
            meter.measure("http", pipeline.http), meter.measure("open", pipeline.open),
            meter.measure("inflate", pipeline.inflate), meter.measure("judge", pipeline.judge),
            meter.measure("hash", pipeline.hash), meter.measure("accept", pipeline.accept),
            meter.measure("write", writing.write),
        ]
        try writing.close()
        print("[\(found.map(\.json).joined(separator: ",\n"))]")
    }
}
