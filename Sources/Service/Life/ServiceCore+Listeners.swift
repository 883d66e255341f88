import HTTP1
import Sockets

extension ServiceCore {
    /// Groups that `listening on` does not name: the control socket.
    var hiddenGroups: Int { 1 }

    /// Who listens where, the control socket first (docs/operation.md, Settings).
    /// - Parameter sockets: those that systemd handed over
    func listenerGroups(
        _ sockets: [ActivatedListeners.Socket] = []
    ) throws(AdminFailure) -> [Server.Configuration.Group] {
        let control = ListenAddress.unix(path: try absolute(store.directory.controlSocket))
        var groups = [
            group([control], .control, maxConnections: Settings.controlConnections, unixMode: 0o600)
        ]
        let activated = try activated(sockets)
        let devices = activated.listeners["listen"] ?? []
        let reports = activated.listeners["report-listen"] ?? []
        let admin = activated.listeners["admin-listen"] ?? []
        let limit = settings.maxConnections
        let people: RouteSet = settings.dashboard ? [.reports, .dashboard] : .reports
        groups.append(
            group(
                devices, reports.isEmpty ? people.union(.devices) : .devices, maxConnections: limit)
        )
        if !reports.isEmpty { groups.append(group(reports, people, maxConnections: limit)) }
        if !admin.isEmpty {
            groups.append(
                group(admin, .metrics, maxConnections: Settings.adminConnections))
        }
        return groups
    }

    private func activated(
        _ sockets: [ActivatedListeners.Socket]
    ) throws(AdminFailure) -> ActivatedListeners {
        let activated = try ActivatedListeners(
            sockets,
            addresses: [
                "listen": try settings.listen.map(address),
                "report-listen": try settings.reportListen.map(address),
                "admin-listen": try [settings.adminListen].compactMap { $0 }.map(address),
            ])
        for (setting, address) in activated.replaced where settings.isGiven(setting) {
            logger.warning(
                "not listening on \(address) of setting \(setting): systemd hands over other sockets of this name"
            )
        }
        return activated
    }

    private func group(
        _ listeners: [ListenAddress], _ served: RouteSet, maxConnections: Int,
        unixMode: UInt32 = 0o666
    ) -> Server.Configuration.Group {
        Server.Configuration.Group(
            listeners: listeners, maxConnections: maxConnections, unixMode: unixMode
        ) { [routes = self.routes] loop in RouteHandler(served, of: routes, loop: loop) }
    }

    private func address(_ text: String) throws(AdminFailure) -> ListenAddress {
        guard let address = ListenAddress(text) else {
            throw AdminFailure(
                .configuration,
                "cannot listen on \(text); use a numeric address with its port, such as 127.0.0.1:8080 or [::1]:8080, or unix:/path"
            )
        }
        return address
    }

    private func absolute(_ path: String) throws(AdminFailure) -> String {
        let whole = WorkingFolder.absolute(path)
        guard whole.utf8.count <= ListenAddress.maxPathLength else {
            throw AdminFailure(
                .configuration,
                "the path of \(whole) is too long for a socket; use a shorter --data")
        }
        return whole
    }
}
