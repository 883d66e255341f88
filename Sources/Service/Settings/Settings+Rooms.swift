import HTTP1
import Ingest
import Storage

extension Settings {
    /// Of the control socket, besides `max-connections`.
    static let controlConnections = 16
    /// Of the admin listener.
    static let adminConnections = 64

    /// Connections of all listeners together.
    package var mostConnections: Int {
        Self.controlConnections + maxConnections * (reportListen.isEmpty ? 1 : 2)
            + (adminListen == nil ? 0 : Self.adminConnections)
    }

    /// The settings as the rooms below take them.
    package var storage: Store.Options {
        Store.Options(directory: DataDirectory(data), masterKeyFile: masterKeyFile)
    }

    /// - Parameter floor: of all who judge
    func ingestLimits(_ floor: EventFloor) -> IngestLimits {
        IngestLimits(
            maxInflatedBytes: maxInflatedBytes, maxBatchEvents: maxBatchEvents,
            maxEventAge: maxEventAge, floor: floor)
    }

    var httpLimits: RequestLimits {
        var limits = RequestLimits()
        limits.requestLineBytes = maxRequestLineBytes
        limits.headerBytes = maxHeaderBytes
        limits.headerFields = maxHeaderFields
        return limits
    }

    var httpTimeouts: Timeouts {
        var timeouts = Timeouts()
        timeouts.header = headerTimeout * 1_000_000
        timeouts.body = bodyTimeout * 1_000_000
        timeouts.idle = idleTimeout * 1_000_000
        timeouts.write = writeTimeout * 1_000_000
        return timeouts
    }
}
