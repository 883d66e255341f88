import Client
import Curl
import Service

/// Where this machine's server is asked when nothing else is said.
enum Listener {
    /// The first listen address as an URL: an address that stands for all of them is asked on loopback.
    static func url(of settings: Settings) -> String {
        url(ofAddress: settings.listen.first ?? "127.0.0.1:8080")
    }

    /// The server that a command posts to.
    /// - Parameter url: the option `--url`; without it this machine's
    static func server(_ url: String?, _ settings: Settings) throws(AdminFailure) -> ServerAddress {
        do throws(AddressFailure) {
            return try ServerAddress(url ?? self.url(of: settings))
        } catch {
            throw AdminFailure(
                .usage,
                "cannot use \(url == nil ? "the first listen address" : "--url"): \(error.reason)")
        }
    }

    /// Whether only this machine reaches it.
    static func isLocal(_ address: String) -> Bool {
        ["unix:", "127.", "localhost:", "[::1]:"].contains { address.hasPrefix($0) }
    }

    static func url(ofAddress address: String) -> String {
        if address.hasPrefix("unix:") { return address }
        let reachable =
            address
            .replacingPrefix("0.0.0.0:", with: "127.0.0.1:")
            .replacingPrefix("[::]:", with: "[::1]:")
        return "http://" + reachable
    }
}
