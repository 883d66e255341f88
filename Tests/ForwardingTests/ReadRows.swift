import Engine
import Forwarding

/// A row of `batch`, read back.
struct ReadBatch: Equatable {
    var app = ""
    var device: [UInt8] = []
    var batchID = ""
    var version: UInt64 = 0
    var node = ""
    var unit: UInt64 = 0
    var receivedAt: Int64 = 0
    var clockShift: Int64 = 0
    var profile = ""
    var key = ""
    var sequence: Int64 = 0
    var droppedEvents: Int64 = 0
    var bodyBytes: Int64 = 0
    var accepted: UInt32 = 0
    var rejected: UInt32 = 0
    var shared: UInt8 = 0
    /// The eight.
    var resource: [String] = []
    var firstTime: Int64 = 0
    var lastTime: Int64 = 0
    var events: [ReadEvent] = []
    var rejections: [String: UInt32] = [:]
    var completions: [String: Int64] = [:]

    init(_ rows: inout RowBinary.Reader) throws {
        app = try rows.string()
        device = try rows.fixed(16)
        batchID = try rows.string()
        version = try rows.uint64()
        node = try rows.string()
        unit = try rows.uint64()
        receivedAt = try rows.int64()
        clockShift = try rows.int64()
        profile = try rows.string()
        key = try rows.string()
        sequence = try rows.int64()
        droppedEvents = try rows.int64()
        bodyBytes = try rows.int64()
        accepted = try rows.uint32()
        rejected = try rows.uint32()
        shared = try rows.uint8()
        for _ in RowResource.columns { resource.append(try rows.string()) }
        firstTime = try rows.int64()
        lastTime = try rows.int64()
        events = try ReadEvent.all(&rows)
        let codes = try rows.strings()
        let counts = try rows.array { (row) throws(RowBinary.Failure) in try row.uint32() }
        rejections = Dictionary(uniqueKeysWithValues: zip(codes, counts))
        let contents = try rows.strings()
        let times = try rows.array { (row) throws(RowBinary.Failure) in try row.int64() }
        completions = Dictionary(uniqueKeysWithValues: zip(contents, times))
    }

    /// All rows of some bytes.
    static func all(_ bytes: [UInt8]) throws -> [ReadBatch] {
        var rows = RowBinary.Reader(bytes)
        var all: [ReadBatch] = []
        while !rows.isAtEnd { all.append(try ReadBatch(&rows)) }
        return all
    }
}

/// An event of such a row.
struct ReadEvent: Equatable {
    var place: UInt16 = 0
    var time: Int64 = 0
    var name = ""
    var session = ""
    var subject = ""
    var value: Int64 = 0
    var keys: [String] = []
    var values: [String] = []
    var numbers: [Double] = []

    static func all(_ rows: inout RowBinary.Reader) throws -> [ReadEvent] {
        let places = try rows.array { (row) throws(RowBinary.Failure) in try row.uint16() }
        let times = try rows.array { (row) throws(RowBinary.Failure) in try row.int64() }
        let names = try rows.strings()
        let sessions = try rows.strings()
        let subjects = try rows.strings()
        let values = try rows.array { (row) throws(RowBinary.Failure) in try row.int64() }
        let keys = try rows.array { (row) throws(RowBinary.Failure) in try row.strings() }
        let texts = try rows.array { (row) throws(RowBinary.Failure) in try row.strings() }
        let numbers = try rows.array { (row) throws(RowBinary.Failure) in
            try row.array { (one) throws(RowBinary.Failure) in try one.float64() }
        }
        return places.indices.map {
            ReadEvent(
                place: places[$0], time: times[$0], name: names[$0], session: sessions[$0],
                subject: subjects[$0], value: values[$0], keys: keys[$0], values: texts[$0],
                numbers: numbers[$0])
        }
    }
}

/// A row of `arrival`, read back.
struct ReadArrival: Equatable {
    var app: String
    var quarter: Int64
    var device: [UInt8]
    var batchID: String
    var node: String
    var times: UInt64
    var bodyBytes: Int64
    /// The four that filter.
    var resource: [String]

    /// All rows of some bytes.
    static func all(_ bytes: [UInt8]) throws -> [ReadArrival] {
        var rows = RowBinary.Reader(bytes)
        var all: [ReadArrival] = []
        while !rows.isAtEnd {
            all.append(
                ReadArrival(
                    app: try rows.string(), quarter: try rows.int64(), device: try rows.fixed(16),
                    batchID: try rows.string(), node: try rows.string(), times: try rows.uint64(),
                    bodyBytes: try rows.int64(),
                    resource: [
                        try rows.string(), try rows.string(), try rows.string(),
                        try rows.string(),
                    ]))
        }
        return all
    }
}

extension RowBinary.Reader {
    mutating func strings() throws(RowBinary.Failure) -> [String] {
        try array { (row) throws(RowBinary.Failure) in try row.string() }
    }
}

extension SpoolUnit {
    /// Its batches, shard by shard.
    var readBatches: [ReadBatch] {
        get throws { try shards.flatMap { try ReadBatch.all($0.batches.bytes) } }
    }

    /// Its arrivals, shard by shard.
    var readArrivals: [ReadArrival] {
        get throws { try shards.flatMap { try ReadArrival.all($0.arrivals.bytes) } }
    }
}
