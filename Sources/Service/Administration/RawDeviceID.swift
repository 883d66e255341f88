import Events
import Ingest
import Storage

/// From a raw device id, as an operator gives it, to what is stored of the device.
package enum RawDeviceID {
    /// The hash that ingest makes of it (docs/protocol.md, Device identity).
    package static func hash(_ raw: String, app: String, key: MasterKey) -> DeviceHash {
        DeviceIdentity(pepper: key.pepper).hash(of: Array(raw.utf8).span, app: app)
    }
}
