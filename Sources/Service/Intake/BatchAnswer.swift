import Events
import HTTP1
import JSON
import Storage

/// The answer to an accepted batch: always 200 (docs/protocol.md, The answer).
struct BatchAnswer {
    /// Nil for an empty legacy body.
    var batchID: String?
    var isDuplicate = false
    var isDryRun = false
    var accepted: Int
    var rejected: Int
    /// The first `Rejection.maxReported`; none for a repeat.
    var rejections: [Rejection] = []

    /// The same of what `max-names` has left of the batch.
    func reduced(to verdict: NameVerdict) -> BatchAnswer {
        var answer = self
        answer.accepted = verdict.accepted
        answer.rejected = verdict.rejected
        answer.rejections = verdict.rejections
        return answer
    }

    /// As much as an answer without rejections takes, with an id of usual length.
    private static let usualBytes = 128

    var response: Response {
        var writer = JSON.Writer(reserving: Self.usualBytes)
        writer.beginObject()
        writer.name(plain: "batch_id")
        if let batchID { writer.string(batchID) } else { writer.null() }
        if isDryRun {
            writer.name(plain: "dry_run")
            writer.bool(true)
        }
        writer.name(plain: "duplicate")
        writer.bool(isDuplicate)
        writer.name(plain: "accepted")
        writer.integer(Int64(accepted))
        writer.name(plain: "rejected")
        writer.integer(Int64(rejected))
        if !rejections.isEmpty {
            writer.name(plain: "rejections")
            writer.beginArray()
            for rejection in rejections {
                writer.beginObject()
                writer.name(plain: "index")
                writer.integer(Int64(rejection.index))
                writer.name(plain: "code")
                writer.string(rejection.rule.code)
                writer.name(plain: "detail")
                writer.string(rejection.rule.detail)
                writer.endObject()
            }
            writer.endArray()
        }
        writer.endObject()
        return Response(status: 200, contentType: "application/json", body: writer.bytes)
    }
}
