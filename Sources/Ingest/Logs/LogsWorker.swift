import Events
import JSON
import Protobuf

/// From the bytes of a request to the logs endpoint to accepted batches: reads, judges, hashes the devices. One a
/// worker.
final class LogsWorker {
    private var judge: LogJudge
    private var json: JSONLogs

    init(hash: TextHash = .process) {
        judge = LogJudge(hash: hash)
        json = JSONLogs(hash: hash)
    }

    /// Resources and records that are judged within some milliseconds.
    private static let inlineSteps = 1024

    /// - Parameters:
    ///   - sent: bytes of the body, which count with its first batch
    ///   - limits: where they are provisional, one that takes long is judged by others elsewhere
    /// - Throws: `inflatedTooLarge` for such a one, and where its integers written out take it beyond its limit
    func accept(
        _ bytes: Span<UInt8>, _ encoding: LogsEncoding, _ context: JudgeContext,
        app: AccessList.App, _ identity: DeviceIdentity, sent: Int, _ limits: IngestLimits
    ) throws(BatchRefusal) -> AcceptedLogs {
        judge.begin(
            context, of: LogJudge.Sender(app: app, identity: identity),
            mostSteps: limits.isProvisional ? Self.inlineSteps : .max,
            mostDigits: limits.maxInflatedBytes - bytes.count)
        defer { end() }
        switch encoding {
        case .protobuf:
            do throws(MalformedMessage) {
                try ProtobufLogs.read(bytes, into: &judge)
            } catch {
                throw .malformedProtobuf
            }
        case .json:
            do throws(Malformed) {
                try json.read(bytes, into: &judge)
            } catch {
                throw .malformedLogs
            }
        }
        guard !judge.isLaborious else { throw .inflatedTooLarge }
        guard !judge.hasTooMany else { throw .tooManyRecords }
        var accepted = AcceptedLogs(
            batches: [], rest: nil, rejections: judge.rejections,
            refusedResources: judge.resourcesWithoutDevice,
            device: judge.hasOtherDevices ? nil : judge.batches.first?.batch.device,
            isShared: judge.batches.first?.batch.isShared ?? false)
        if judge.isPart {
            accepted.rest = LogsRest(
                bytes, encoding, context, app: app, pieces: judge.pieces, sent: sent)
        } else {
            accepted.batches = judge.batches
            if !accepted.batches.isEmpty { accepted.batches[0].batch.bodyBytes = sent }
        }
        return accepted
    }

    /// Forgets what must not stay in memory.
    private func end() {
        judge.end()
        json.forget()
    }

    /// The next part of a request that was judged before.
    func accept(_ rest: LogsRest, _ identity: DeviceIdentity) -> [LogBatch] {
        judge.begin(rest.context, of: LogJudge.Sender(app: rest.app, identity: identity))
        defer { end() }
        var sent: [(batch: Int, bytes: Int)] = []
        rest.withBytes { bytes in
            while let piece = rest.pieces.first, judge.hasRoom {
                rest.pieces.removeFirst()
                sent.append((judge.batches.count, rest.bytes(of: piece)))
                // It was read before: it is well-formed.
                switch rest.encoding {
                case .protobuf:
                    try? ProtobufLogs.readResourceLogs(
                        piece.range, piece.index, bytes, into: &judge)
                case .json:
                    try? json.readResourceLogs(piece.range, piece.index, bytes, into: &judge)
                }
            }
        }
        var batches = judge.batches
        for (batch, bytes) in sent where bytes > 0 && batch < batches.count {
            batches[batch].batch.bodyBytes = bytes
        }
        return batches
    }
}
