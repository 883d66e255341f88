import Foundation
import Testing

/// How long the ways to fail take (docs/protocol.md, jwe). Measured and printed where `TIMING` says how
/// many requests of each kind to send, best to the release build (`make timing`): a busy machine would
/// fail it for nothing.
@Suite("time to refuse", .serialized)
struct TimingTests {
    private static let count =
        ProcessInfo.processInfo.environment["TIMING"].flatMap { Int($0) } ?? 0

    /// One way to be wrong.
    private struct Fault {
        let name: String
        let status: Int
        let change: (inout [UInt8]) -> Void
    }

    @Test(
        "no way to fail decryption is told from another by its time",
        .enabled(if: TimingTests.count > 0, "TIMING is not set"))
    func faults() throws {
        let server = try TestServer()
        try server.start()
        let connection = try server.connect()
        let text = batch("b-1", count: 30)
        for way in try SealedPost.all(of: server) where way.name != "plain" {
            let faults = Self.faults(of: way.name)
            var times = [[Double]](repeating: [], count: faults.count)
            for _ in 0..<Self.count {
                for (place, fault) in faults.enumerated().shuffled() {
                    var body = way.body(text)
                    fault.change(&body)
                    let request = way.request(body)
                    let began = DispatchTime.now().uptimeNanoseconds
                    let answer = connection.exchange(request)
                    let ended = DispatchTime.now().uptimeNanoseconds
                    #expect(answer?.status == fault.status, "\(way.name), \(fault.name)")
                    times[place].append(Double(ended - began) / 1000)
                }
            }
            let medians = times.map { $0.sorted()[$0.count / 2] }
            for (fault, median) in zip(faults, medians) {
                print("\(way.name), \(fault.name): \((median * 10).rounded() / 10) µs")
            }
            let judged = zip(faults, medians).filter { $0.0.status == 400 }.map(\.1)
            // Work with a private key that is left out makes a factor of two and more; on a busy machine
            // medians of one fault differ by a tenth.
            #expect((judged.max() ?? 0) < 1.25 * (judged.min() ?? 0), "\(way.name): \(medians)")
        }
    }

    private static func faults(of name: String) -> [Fault] {
        switch name {
        case "aes128gcm":
            return [
                Fault(name: "another tag", status: 400) { $0[$0.count - 1] ^= 1 },
                Fault(name: "another text", status: 400) { $0[40] ^= 1 },
                Fault(name: "another salt, so another key", status: 400) { $0[0] ^= 1 },
                Fault(name: "the last octet cut off", status: 400) { $0.removeLast() },
                Fault(name: "an unknown key", status: 401) { $0[21] ^= 1 },
            ]
        case "legacy":
            return [
                Fault(name: "another first block", status: 400) { $0[0] ^= 1 },
                Fault(name: "another last block", status: 400) { $0[$0.count - 1] ^= 1 },
            ]
        default:
            return [
                Fault(name: "another tag", status: 400) { replace(4, of: &$0) { $0[0] ^= 1 } },
                Fault(name: "another text", status: 400) { replace(3, of: &$0) { $0[9] ^= 1 } },
                Fault(name: "another nonce", status: 400) { replace(2, of: &$0) { $0[0] ^= 1 } },
                Fault(name: "a nonce too short", status: 400) {
                    replace(2, of: &$0) { $0.removeLast() }
                },
                Fault(name: "a tag too short", status: 400) {
                    replace(4, of: &$0) { $0.removeLast() }
                },
                name == "jwe ECDH-ES"
                    ? Fault(name: "a point beside the curve", status: 400) { body in
                        replace(0, of: &body) { header in
                            guard let at = header.lastIndex(of: UInt8(ascii: "}")) else { return }
                            // The last whole digit of y.
                            header[at - 4] = header[at - 4] == 0x41 ? 0x42 : 0x41
                        }
                    }
                    : Fault(name: "another wrapped key", status: 400) {
                        replace(1, of: &$0) { $0[255] ^= 1 }
                    },
                Fault(name: "a wrapped key of another length", status: 400) {
                    replace(1, of: &$0) { $0.append(1) }
                },
                Fault(name: "a wrapped key above the modulus", status: 400) {
                    replace(1, of: &$0) { $0 = [UInt8](repeating: 255, count: 256) }
                },
            ]
        }
    }

    /// Changes the octets of one of a JWE's parts.
    private static func replace(
        _ part: Int, of body: inout [UInt8], _ change: (inout [UInt8]) -> Void
    ) {
        var parts = String(decoding: body, as: UTF8.self).components(separatedBy: ".")
        var text = parts[part].replacingOccurrences(of: "-", with: "+")
            .replacingOccurrences(of: "_", with: "/")
        text += String(repeating: "=", count: (4 - text.count % 4) % 4)
        var octets = Data(base64Encoded: text).map { Array($0) } ?? []
        change(&octets)
        parts[part] = Data(octets).base64EncodedString().replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
        body = Array(parts.joined(separator: ".").utf8)
    }
}
