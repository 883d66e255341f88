/// What a batch says of the device and its app; nil is not given.
package struct ToldResource: Sendable, Hashable {
    package var osName: String?
    package var osVersion: String?
    package var serviceVersion: String?
    /// `device.model.identifier`.
    package var model: String?
    /// `telemetry.sdk.name`.
    package var sdkName: String?
    /// `telemetry.sdk.version`.
    package var sdkVersion: String?

    package init(
        osName: String? = nil, osVersion: String? = nil, serviceVersion: String? = nil,
        model: String? = nil, sdkName: String? = nil, sdkVersion: String? = nil
    ) {
        self.osName = osName
        self.osVersion = osVersion
        self.serviceVersion = serviceVersion
        self.model = model
        self.sdkName = sdkName
        self.sdkVersion = sdkVersion
    }
}
