import JSON

/// What a process says of the device and the app: a batch's `resource`, but for the installation's id.
struct AppIdentity: Equatable {
    let osName: String
    let osVersion: String
    let model: String
    let manufacturer: String
    let serviceVersion: String
    let build: String
    let sdkName: String
    static let sdkVersion = "1.0.0"

    /// As the device is on `day`.
    ///
    /// - Parameter isCopy: Whether it was replaced.
    init(_ traits: DeviceTraits, on day: Int64, isCopy: Bool, _ calendar: ReleaseCalendar) {
        let app = ReleaseCalendar.names(of: traits.release(on: day, calendar))
        let model = isCopy ? traits.nextModel : traits.model
        osName = traits.platform.name
        osVersion = traits.osVersion(on: day)
        self.model = model.identifier
        manufacturer = model.manufacturer
        serviceVersion = app.version
        build = app.build
        sdkName = traits.platform.sdk
    }

    /// The JSON object.
    var resource: [UInt8] {
        var writer = Writer(reserving: 256)
        writer.beginObject()
        writer.member("os.name", osName)
        writer.member("os.version", osVersion)
        writer.member("device.model.identifier", model)
        writer.member("device.manufacturer", manufacturer)
        writer.member("service.version", serviceVersion)
        writer.member("app.build_id", build)
        writer.member("telemetry.sdk.name", sdkName)
        writer.member("telemetry.sdk.version", Self.sdkVersion)
        writer.endObject()
        return writer.take()
    }
}
