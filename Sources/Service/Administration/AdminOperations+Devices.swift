import Database
import Events
import Ingest
import Storage
import Upkeep

extension AdminOperations {
    /// - Parameter device: its hash, in hex
    func erase(_ device: String, of name: String) throws(AdminFailure) -> ErasureSummary {
        guard let app = store.registry.snapshot.app(named: name) else {
            throw AdminFailure(.notFound(.app, name: name))
        }
        guard let hash = DeviceHash(hex: device) else {
            throw AdminFailure(.usage, "a device's hash has 32 hexadecimal digits")
        }
        // What arrives before its moment never comes back.
        try checkClock(for: "an erasure")
        let isShared = try stored { () throws(StorageError) in
            try store.isShared(hash, of: app)
        }
        if let cluster { return try erase(hash, isShared, of: app, at: cluster) }
        let erased = try stored { () throws(StorageError) in try store.erase(hash, of: app) }
        guard let erased else {
            let moment = try stored { () throws(StorageError) in
                try store.lastErasure(of: hash, of: app)
            }
            throw moment.map { AdminFailure(erasedOf: name, at: $0) }
                ?? AdminFailure(noDeviceOf: name)
        }
        return ErasureSummary(
            app: name, device: hash.hex, isShared: isShared, batches: erased.batches,
            events: erased.events, isClean: erased.isClean)
    }

    private func erase(
        _ device: DeviceHash, _ isShared: Bool, of app: App, at cluster: Cluster
    ) throws(AdminFailure) -> ErasureSummary {
        let erased = try cluster.erase(device, of: app)
        return ErasureSummary(
            app: app.name, device: device.hex, isShared: isShared,
            batches: erased?.batches ?? 0, events: erased?.events ?? 0, isClean: true)
    }
}

extension AdminFailure {
    /// Names only the app: a raw id is never written anywhere.
    package init(noDeviceOf app: String) {
        self.init(
            .dataError,
            "no such device in app \(app): no stored batch came with this id; check it and --app")
    }

    /// No device of this id is stored, but there is a receipt: an erasure that was cut off is carried
    /// out by the next start.
    /// - Parameter moment: milliseconds since 1970
    init(erasedOf app: String, at moment: Int64) {
        self.init(
            .dataError,
            "no such device in app \(app) any more: it was erased already, by the receipt of "
                + "\(Timestamp.text(moment)); nothing of it has come since, and nothing is left to do"
        )
    }
}

/// From a raw device id, as an operator gives it, to what is stored of the device.
package enum RawDeviceID {
    /// The hash that ingest makes of it (docs/protocol.md, Device identity).
    package static func hash(_ raw: String, app: String, key: MasterKey) -> DeviceHash {
        DeviceIdentity(pepper: key.pepper).hash(of: Array(raw.utf8).span, app: app)
    }
}
