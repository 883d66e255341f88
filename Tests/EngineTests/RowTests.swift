import Testing

@testable import Engine

@Suite("Rows of the engine's tables")
struct RowTests {
    @Test("of two arrivals the earlier one has the greater version, whatever was pruned")
    func arrivalCounts() {
        let early = RowVersion.ofBatch(receivedAt: 1_000, prunedTo: nil, node: 0)
        let late = RowVersion.ofBatch(receivedAt: 1_001, prunedTo: .max, node: 31)
        #expect(early > late)
    }

    @Test("of equal arrivals the one that was pruned further has the greater version")
    func pruneCounts() {
        let day: Int64 = 86_400_000
        let limits: [Int64?] = [nil, 20_000 * day, 20_001 * day - 1, 20_001 * day]
        let versions = limits.map {
            RowVersion.ofBatch(receivedAt: 1_763_700_000_000, prunedTo: $0, node: 31)
        }
        #expect(versions[0] < versions[1])
        #expect(versions[1] == versions[2])
        #expect(versions[2] < versions[3])
    }

    @Test("a version is what the contract says")
    func versionExample() {
        let version = RowVersion.ofBatch(
            receivedAt: 1_763_700_000_000, prunedTo: 20_000 * 86_400_000, node: 7)
        let arrival: UInt64 = (1 << 43) - 1 - 1_763_700_000_000
        #expect(version == arrival * (1 << 21) + 20_000 * 32 + 7)
    }

    @Test("moments that no clock shows are taken for the nearest end")
    func clampedVersions() {
        let ends: [Int64] = [.min, -1, 0, 1 << 43 - 1, 1 << 43, .max]
        let versions = ends.map { RowVersion.ofBatch(receivedAt: $0, prunedTo: $0, node: .max) }
        #expect(versions[0] == versions[1])
        #expect(versions[0] == versions[2])
        #expect(versions[3] == versions[4])
        #expect(versions[4] == versions[5])
        #expect(versions[0] > versions[3])
    }

    @Test("a node's bits are the same at all times, of names they differ, and never are all set")
    func nodeBits() {
        #expect(RowVersion.bits(ofNode: "node-1") == 1)
        let names = (0..<256).map { "node-\($0)" }
        #expect(Set(names.map(RowVersion.bits(ofNode:))) == Set(0..<RowVersion.prunedInPlace))
        #expect(RowVersion.bits(ofNode: "a") == RowVersion.bits(ofNode: "a"))
    }

    @Test("a device is on the shard that its first eight bytes name")
    func shards() throws {
        let bytes: [UInt8] = [0, 0, 0, 0, 0, 0, 1, 0] + [1, 2, 3, 4, 5, 6, 7, 255]
        let made = DeviceKey(bytes.span)
        let device = try #require(made)
        #expect(device.bytes == bytes)
        #expect(device.shard(of: 1) == 0)
        #expect(device.shard(of: 3) == 256 % 3)
        #expect(DeviceKey(high: .max, low: 0).shard(of: 7) == Int(UInt64.max % 7))
        let short = DeviceKey(Array(bytes[1...]).span)
        #expect(short == nil)
    }

    @Test("each table's columns are named once")
    func columns() {
        for columns in [BatchRow.columns, ArrivalRow.columns, RefusalRow.columns] {
            #expect(Set(columns).count == columns.count)
        }
        #expect(BatchRow.columns.count == 39)
    }

    @Test("a row takes no more bytes than it says, and begins again empty")
    func byteCount() {
        var row = BatchRow()
        row.app = Array("shop".utf8)
        row.resource = RowResource(["os_name": Array("iOS".utf8)])
        row.rejections = [.init(code: Array("invalid-time".utf8), events: 3)]
        row.completions = [.init(content: Array("c".utf8), time: 4)]
        for place in 0..<200 {
            for key in 0..<place % 3 {
                row.events.attribute(
                    key: Array("key\(key)".utf8).span, .number, text: Array("1".utf8).span,
                    number: 1)
            }
            row.events.add(place: UInt16(place), time: 5, name: Array("open".utf8))
        }
        var rows = RowBinary.Writer()
        row.append(to: &rows)
        #expect(rows.count <= row.byteCount)
        #expect(rows.count > row.byteCount - 300)
        let size = rows.count
        row.events.removeAll()
        #expect(row.byteCount < 500)
        row.append(to: &rows)
        #expect(rows.count < size + 500)
    }
}
