import Events
import Testing

@Suite("Resource")
struct ResourceTests {
    @Test("has a text for each listed member, in order")
    func members() {
        var resource = Resource()
        #expect(resource.texts == [String](repeating: "", count: 8))
        for place in Resource.members.indices { resource[place] = "v\(place)" }
        #expect(resource.texts == (0..<8).map { "v\($0)" })
        for place in Resource.members.indices { #expect(resource[place] == "v\(place)") }
        #expect(resource.osName == "v0")
        #expect(resource.osVersion == "v1")
        #expect(resource.deviceModel == "v2")
        #expect(resource.deviceManufacturer == "v3")
        #expect(resource.serviceVersion == "v4")
        #expect(resource.appBuildID == "v5")
        #expect(resource.sdkName == "v6")
        #expect(resource.sdkVersion == "v7")
        #expect(Resource.members[2] == "device.model.identifier")
    }
}
