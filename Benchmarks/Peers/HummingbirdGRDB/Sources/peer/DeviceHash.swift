import Crypto
import Foundation

/// Hashes device ids under a key of the server's own, so that the raw ones are never stored.
struct DeviceHash: Sendable {
    private let key: SymmetricKey

    /// The key is in a file of that folder, made once.
    init(folder: URL) throws {
        let file = folder.appending(path: "device.key")
        if let octets = try? Data(contentsOf: file), octets.count == 32 {
            key = SymmetricKey(data: octets)
        } else {
            key = SymmetricKey(size: .bits256)
            try key.withUnsafeBytes { try Data($0).write(to: file, options: .atomic) }
        }
    }

    /// The first 16 octets of HMAC-SHA-256 over the app, a zero octet and the raw id.
    func hash(app: String, device: String) -> Data {
        var hmac = HMAC<SHA256>(key: key)
        hmac.update(data: Data("\(app)\0\(device)".utf8))
        return Data(hmac.finalize().prefix(16))
    }
}
