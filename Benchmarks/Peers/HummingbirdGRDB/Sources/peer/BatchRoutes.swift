import Foundation
import Hummingbird

/// `POST /v1/apps/{app}/batches`: bodies of profile `aes128gcm`, gzipped.
struct BatchRoutes: Sendable {
    /// What a batch that was taken is answered.
    private struct Answer: ResponseEncodable {
        let batchID: String
        let duplicate: Bool
        let accepted, rejected: Int

        enum CodingKeys: String, CodingKey {
            case batchID = "batch_id"
            case duplicate, accepted, rejected
        }
    }

    private static let largestBody = 1 << 20
    private static let decoder = JSONDecoder()

    let key: ContentKey
    let devices: DeviceHash
    let writer: BatchWriter

    func add(to router: Router<BasicRequestContext>) {
        router.post("v1/apps/:app/batches") { request, context in
            try await take(request, app: context.parameters.require("app"))
        }
    }

    private func take(_ request: Request, app: String) async throws -> Answer {
        let receivedAt = Int64(Date.now.timeIntervalSince1970 * 1000)
        guard request.headers[.contentType]?.hasPrefix("application/json") == true else {
            throw Refusal.unsupportedMediaType
        }
        guard request.headers[.contentEncoding] == "gzip, aes128gcm" else {
            throw Refusal.unsupportedEncoding
        }
        let body = try await request.body.collect(upTo: Self.largestBody)
        let batch = try accept(Data(body.readableBytesView), app: app, receivedAt: receivedAt)
        let outcome = try await writer.write(batch)
        return Answer(
            batchID: batch.batchID, duplicate: outcome.isRepeat, accepted: outcome.accepted,
            rejected: outcome.rejected)
    }

    /// Opens, inflates, decodes and judges a body.
    private func accept(_ body: Data, app: String, receivedAt: Int64) throws -> AcceptedBatch {
        let batch = try Self.decode(try Gzip.inflate(try key.open(body)))
        let device = try Judge.device(of: batch)
        return AcceptedBatch(
            batch, app: app, device: devices.hash(app: app, device: device), receivedAt: receivedAt)
    }

    private static func decode(_ text: Data) throws -> Batch {
        do {
            return try decoder.decode(Batch.self, from: text)
        } catch DecodingError.dataCorrupted {
            throw Refusal.malformedJSON
        } catch is DecodingError {
            throw Refusal.invalidBatch
        }
    }
}
