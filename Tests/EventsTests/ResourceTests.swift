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

    @Test("two are equal where all their bytes are, and no others", arguments: 0..<8)
    func equality(_ place: Int) {
        var one = Resource()
        for index in 0..<8 { one[index] = "caf\u{e9} \(index)" }
        var other = one
        #expect(one == other)
        #expect(one.hashValue == other.hashValue)
        // The same to a reader, other bytes.
        other[place] = "cafe\u{301} \(place)"
        #expect(one != other)
        other[place] = "caf\u{e9} \(place)x"
        #expect(one != other)
        other[place] = ""
        #expect(one != other)
        one[place] = ""
        #expect(one == other)
    }
}
