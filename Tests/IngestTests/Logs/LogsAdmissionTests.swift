import Compression
import Events
import Sealing
import Testing

@testable import Ingest

/// spec: OpenTelemetry, Endpoint.
@Suite("admission of log records")
struct LogsAdmissionTests {
    private static func access(
        _ grant: AccessList.Grant, allowsPlain: Bool = true, apps: [Int64] = [7]
    ) -> AccessList {
        AccessList(
            apps: apps.map { .init(id: $0, name: "app\($0)", allowsPlain: allowsPlain) }, keys: [],
            tokens: [Hashing.sha256(Array("sj_token".utf8).span): grant])
    }

    private static func grant(
        _ scope: TokenScope = .ingest, app: Int64? = 7, isRevoked: Bool = false
    ) -> AccessList.Grant {
        .init(id: 3, scope: scope, app: app, isRevoked: isRevoked)
    }

    private func admission(
        _ access: AccessList, _ authorization: String? = "Bearer sj_token"
    ) -> Result<Admission, BatchRefusal> {
        Result { () throws(BatchRefusal) in
            try Admission(
                logs: BodyFormat(logs: .protobuf, codings: []), authorization: authorization,
                access: access)
        }
    }

    private func refusal(
        _ access: AccessList, _ authorization: String? = "Bearer sj_token"
    ) -> BatchRefusal? {
        switch admission(access, authorization) {
        case .success: nil
        case .failure(let refusal): refusal
        }
    }

    @Test(
        "the type says how they are encoded, whatever follows it",
        arguments: [
            ("application/x-protobuf", .protobuf), ("Application/X-Protobuf", .protobuf),
            ("application/json", .json), (" application/json ;charset=utf-8", .json),
            ("application/x-protobuf; messageType=x", .protobuf), ("application/protobuf", nil),
            ("text/json", nil), ("application/jsonx", nil), ("", nil), (";", nil),
            ("application/x-ndjson", nil), ("application/json, application/json", nil),
        ] as [(String, LogsEncoding?)])
    func types(type: String, encoding: LogsEncoding?) {
        #expect(LogsEncoding(contentType: type) == encoding)
    }

    @Test(
        "they are sent as they are or in gzip", arguments: LogsEncoding.allCases,
        [
            ([], false), (["identity"], false), (["gzip"], true), (["x-gzip"], true),
            (["GZIP"], true), ([""], false), (["br"], nil), (["gzip, gzip"], nil),
            (["gzip", "gzip"], nil), (["aes128gcm"], nil), (["gzip, aes128gcm"], nil),
            (["deflate"], nil), (["zstd"], nil),
        ] as [([String], Bool?)])
    func codings(encoding: LogsEncoding, sent: ([String], isGzipped: Bool?)) {
        let format = try? BodyFormat(logs: encoding, codings: sent.0)
        #expect(format?.isGzipped == sent.isGzipped)
        guard let format else {
            #expect(throws: BatchRefusal.unsupportedEncoding) {
                try BodyFormat(logs: encoding, codings: sent.0)
            }
            return
        }
        #expect(format.profile == .otlp && format.logs == encoding)
    }

    @Test("an ingest token names the app, which has to allow plain")
    func tokens() throws {
        let admission = try admission(Self.access(Self.grant())).get()
        #expect(admission.app.id == 7 && admission.token == 3 && admission.pathKey == nil)
        #expect(refusal(Self.access(Self.grant()), "bearer  sj_token") == nil)
        for value in [
            nil, "", "sj_token", "Bearer", "Bearer other", "Basic sj_token", "Bearer a b",
        ] {
            #expect(refusal(Self.access(Self.grant()), value) == .unauthorized)
        }
        #expect(refusal(Self.access(Self.grant(isRevoked: true))) == .unauthorized)
        for scope in TokenScope.allCases where scope != .ingest {
            #expect(refusal(Self.access(Self.grant(scope))) == .forbidden)
            // Revoked comes first.
            #expect(refusal(Self.access(Self.grant(scope, isRevoked: true))) == .unauthorized)
        }
        #expect(refusal(Self.access(Self.grant(app: nil))) == .forbidden)
        #expect(refusal(Self.access(Self.grant(), apps: [8])) == .forbidden)
        #expect(refusal(Self.access(Self.grant(), allowsPlain: false)) == .plainNotAllowed)
        #expect(refusal(Self.access(Self.grant(.report), allowsPlain: false)) == .forbidden)
    }

    @Test("what was proved is proved anew by a later list")
    func renewed() throws {
        let admission = try admission(Self.access(Self.grant())).get()
        #expect(try admission.renewed(in: Self.access(Self.grant())).app.id == 7)
        let moved = try admission.renewed(in: Self.access(Self.grant(app: 8), apps: [7, 8]))
        #expect(moved.app.name == "app8" && moved.format == admission.format)
        #expect(throws: BatchRefusal.unauthorized) {
            try admission.renewed(in: Self.access(Self.grant(isRevoked: true)))
        }
        #expect(throws: BatchRefusal.plainNotAllowed) {
            try admission.renewed(in: Self.access(Self.grant(), allowsPlain: false))
        }
    }

    @Test("a body in gzip is inflated, within its limit, and nothing of it is left")
    func gzip() throws {
        let sent = SentLogs(SentRecord(["k": "text"]))
        let limits = IngestLimits(maxInflatedBytes: 200, maxBatchEvents: 100, maxEventAge: 1 << 40)
        let worker = IngestWorker(limits: limits, pepper: Array("key".utf8))
        let expected = Logs.forms(of: try Logs.accept(sent))
        for (encoding, text) in [(.protobuf, sent.protobuf), (.json, sent.json())]
            as [(LogsEncoding, [UInt8])]
        {
            let admission = try Admission(
                logs: BodyFormat(logs: encoding, codings: ["gzip"]),
                authorization: "Bearer sj_token", access: Logs.access)
            let body = Gzip.compress(text.span)
            let verdict = Result { () throws(BatchRefusal) in
                try worker.accept(body.span, admission, arrival: arrival, access: Logs.access)
            }
            if text.count > 200 {
                guard case .failure(.inflatedTooLarge) = verdict else {
                    Issue.record("not too large")
                    continue
                }
                #expect(worker.inflatedBytes == 200)
            } else {
                guard case .logs(let logs) = try verdict.get() else {
                    Issue.record("no logs")
                    continue
                }
                #expect(Logs.forms(of: logs) == expected)
                #expect(logs.batches.first?.batch.bodyBytes == body.count)
                #expect(worker.inflatedBytes == text.count)
            }
            #expect(worker.inflated.allSatisfy { $0 == 0 })
            #expect(throws: BatchRefusal.undecodable) {
                _ = try worker.accept(text.span, admission, arrival: arrival, access: Logs.access)
            }
        }
        #expect(sent.protobuf.count <= 200 && sent.json().count > 200)
    }
}
