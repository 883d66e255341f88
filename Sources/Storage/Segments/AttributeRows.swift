import Columns
import Database

/// Makes columns of attributes of the events of one name from their rows, for some segments at once: a
/// batch of many days is read once and not for each of them.
struct AttributeRows: ~Copyable {
    private let keys: [AttributeKey]
    /// Row of the name.
    private let name: Int64
    private let account: (any MemoryAccount)?
    private var targets: [AttributeTarget] = []
    private var visits: [AttributeVisit] = []

    /// How many events of the name the segments have.
    private(set) var count = 0

    /// - Parameter account: counts what is held in memory until the columns are made
    init(
        _ keys: [AttributeKey], ofName name: Int64, _ account: (any MemoryAccount)? = nil
    ) {
        self.keys = keys
        self.name = name
        self.account = account
    }

    /// Adds a segment, of which names and times are there. Throws `damage` where it is not what was written.
    mutating func add(
        _ packed: SegmentReader.Packed, _ damage: StorageError
    ) throws(StorageError) {
        let target = AttributeTarget(packed, name: name, keys: keys.count)
        if target.isBroken { throw damage }
        for (part, batch) in target.batches {
            visits.append(
                AttributeVisit(
                    batch: batch, target: targets.count, day: target.day, part: part,
                    count: target.count(ofPart: part)))
        }
        count += target.count
        targets.append(target)
    }

    /// The columns of each segment, in the order of the keys. Throws what the database throws, and
    /// `damaged` where segments and rows are not of the same events.
    /// - Parameter pause: is called now and then while rows are read
    mutating func columns(
        on connection: Connection, _ pause: SegmentList.Pause
    ) throws(StorageError) -> [[AttributeColumn]] {
        let reader = try AttributeRowReader(connection, name: name)
        if keys.contains(where: { $0 != .none }) {
            visits.sort { $0.batch < $1.batch }
            try reader.read(&visits, of: keys, into: &targets, account, pause)
        }
        visits = []
        var columns: [[AttributeColumn]] = []
        for index in targets.indices {
            guard let made = targets[index].columns() else { throw reader.damage }
            columns.append(made)
        }
        targets = []
        return columns
    }
}

/// That a batch has events of the name in a part of a segment.
struct AttributeVisit {
    let batch: Int64
    /// Index of the segment, and its day.
    let target: Int
    let day: Int64
    /// Number of the part.
    let part: Int
    /// How many of the events the part has.
    let count: Int
    /// How many of them have been read.
    var read = 0
}

/// Counts what a scan holds in memory, in bytes of capacity. From any thread.
package protocol MemoryAccount: AnyObject, Sendable {
    /// Adds bytes; takes them away where the number is negative.
    func add(_ bytes: Int)
    /// Whether it is too much: then the scan soon calls its pause, which throws.
    var isOver: Bool { get }
}
