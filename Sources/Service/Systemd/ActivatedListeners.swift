import Sockets

/// Which listener each socket that systemd holds becomes (docs/operation.md, Socket activation).
struct ActivatedListeners {
    /// The settings that name listeners.
    static let settings = ["listen", "report-listen", "admin-listen"]

    /// A socket, and the name that its unit gives it.
    struct Socket {
        let socket: InheritedSocket
        let name: String
    }

    /// Where each setting listens.
    private(set) var listeners: [String: [ListenAddress]] = [:]
    /// Addresses that a setting has, and nobody listens on: sockets with the setting's name take
    /// their place.
    private(set) var replaced: [(setting: String, address: ListenAddress)] = []

    /// A socket that bears a setting's name is that setting's, and all of them stand in place of its
    /// addresses. Any other one goes to the setting that has its address.
    /// - Parameter addresses: by setting
    /// - Throws: `AdminFailure` where a socket belongs nowhere
    init(_ sockets: [Socket], addresses: [String: [ListenAddress]]) throws(AdminFailure) {
        var unnamed = sockets.filter { !Self.settings.contains($0.name) }
        for setting in Self.settings {
            let own = addresses[setting] ?? []
            let named = sockets.filter { $0.name == setting }.map(\.socket)
            if !named.isEmpty {
                listeners[setting] = named.map { .inherited(descriptor: $0.descriptor) }
                for address in own where !named.contains(where: { $0.address == address.canonical })
                {
                    replaced.append((setting, address))
                }
                continue
            }
            listeners[setting] = own.map { address in
                let index = unnamed.firstIndex { $0.socket.address == address.canonical }
                guard let index else { return address }
                return .inherited(descriptor: unnamed.remove(at: index).socket.descriptor)
            }
        }
        if let left = unnamed.first {
            throw AdminFailure(
                .configuration,
                "systemd hands over a socket at \(left.socket.address), which is no address of "
                    + Self.settings.joined(separator: ", ")
                    + "; give one of them this address, or the socket unit its name (FileDescriptorName=)"
            )
        }
    }

    /// Looks at the descriptors that were handed over.
    /// - Throws: `AdminFailure` where one is no socket that listens
    static func sockets(of systemd: SystemdEnvironment) throws(AdminFailure) -> [Socket] {
        var sockets: [Socket] = []
        for given in systemd.sockets {
            do throws(SocketError) {
                sockets.append(
                    Socket(socket: try InheritedSocket(given.descriptor), name: given.name))
            } catch {
                throw AdminFailure(
                    .configuration,
                    "\(error), which systemd hands over; the socket unit has to say ListenStream=")
            }
        }
        return sockets
    }
}
