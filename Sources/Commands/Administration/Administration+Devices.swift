import Events
import Query
import Reports
import Service
import Storage

extension Administration {
    /// The hash of a raw id. Reads the master key of a database that is there.
    func hash(of raw: String, in app: String) throws -> DeviceHash {
        try reading { _, _, key in RawDeviceID.hash(raw, app: app, key: key) }
    }

    /// What is kept of a device.
    func device(_ raw: String, of name: String) throws -> DeviceRecord {
        try reading { snapshot, connection, key in
            let app = try self.app(name, snapshot)
            let hash = RawDeviceID.hash(raw, app: name, key: key)
            let record = try answering(connection, key) { queries throws(QueryError) in
                try queries.device(hash, of: app)
            }
            guard let record else {
                throw AdminFailure(noDeviceOf: name)
            }
            return record
        }
    }

    /// - Parameter write: gets the device's events in pieces, a line each
    func exportDevice(_ raw: String, of name: String, write: ([UInt8]) -> Void) throws {
        TemporaryFiles.keep(in: settings.data)
        try reading { snapshot, connection, key in
            let app = try self.app(name, snapshot)
            let hash = RawDeviceID.hash(raw, app: name, key: key)
            let isThere = try answering(connection, key) { queries throws(QueryError) in
                try queries.hasDevice(hash, of: app)
            }
            guard isThere else { throw AdminFailure(noDeviceOf: name) }
            try self.write(ExportLines(of: hash, in: app), connection, key, write)
        }
    }

    private func app(_ name: String, _ snapshot: RegistrySnapshot) throws(AdminFailure) -> QueryApp
    {
        guard let app = snapshot.app(named: name) else {
            throw AdminFailure(.notFound(.app, name: name))
        }
        return QueryApp(app)
    }
}
