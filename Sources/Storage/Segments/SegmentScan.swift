import Columns
import Database
import Dispatch

/// The parts of an app's batches that have events in a stretch of time, from segments; each once, in no
/// order, or the share of them that no other scan of the list takes:
///
///     var scan = SegmentScan(try SegmentList(of: app, window, connection, tails), [.times, .names])
///     while try scan.next() { … scan.part.device … scan.part.readTimes() … }
///
/// A caller that needs a segment's sessions before its parts uses `nextSegment` and `nextPart`.
/// A part of which not all lies in the stretch is returned whole.
package struct SegmentScan: ~Copyable {
    /// The current part.
    package var part: SegmentReader
    /// Counts the segments: another segment has other indices of names and subjects.
    package private(set) var segment = 0

    /// The identity of the current segment; nil where it is in no row.
    package var identity: SegmentCache.Segment? { list.storedIdentity(of: index) }

    private let list: SegmentList
    /// Of the list.
    private let window: Range<Int64>
    private let columns: SegmentReader.Columns
    /// What the disk should have ready of each segment.
    private let expected: SegmentReader.Columns
    /// Of the segment in the list.
    private var index = 0
    private var isInSegment = false
    /// The segments that it takes.
    private var ahead: AttributesAhead
    /// Since when the thread works, nanoseconds: since its last pause.
    private var begun = DispatchTime.now().uptimeNanoseconds
    /// Events of parts since the last look whether the report holds too much: what it collects grows with
    /// them.
    private var unlooked = 0
    /// So many lie between two looks, and those of a batch.
    private static let stride = 1 << 14
    /// Bytes that it has added to its list's account.
    private var held = 0

    /// - Parameters:
    ///   - columns: what of each part will be read besides its head
    ///   - later: what will be loaded of most segments
    package init(
        _ list: SegmentList, _ columns: SegmentReader.Columns, later: SegmentReader.Columns = []
    ) {
        part = SegmentReader(columns)
        self.list = list
        ahead = AttributesAhead(list)
        window = list.window
        self.columns = columns
        expected = columns.union(later)
    }

    deinit { list.account?.add(-held) }

    /// Goes to the next part. False after the last one. Throws what the database throws, and `damaged`.
    package mutating func next() throws(StorageError) -> Bool {
        while true {
            if isInSegment, try nextPart() { return true }
            guard try nextSegment() else { return false }
        }
    }

    /// Goes to the next part of the segment. False after the last one. Throws `damaged`.
    package mutating func nextPart() throws(StorageError) -> Bool {
        while part.next() {
            unlooked &+= part.count
            if unlooked >= Self.stride { try lookWhetherOver() }
            if part.first < window.upperBound, part.last >= window.lowerBound { return true }
        }
        try check()
        isInSegment = false
        return false
    }

    @inline(never)
    private mutating func lookWhetherOver() throws(StorageError) {
        unlooked = 0
        if list.account?.isOver == true { try list.pause(0) }
    }

    /// Goes to the next segment, before its first part, with the pause of its list. False after the last
    /// one. Throws what the database and the pause throw.
    package mutating func nextSegment() throws(StorageError) -> Bool {
        // Before it takes one: other threads wait for what it has taken.
        try list.pause(DispatchTime.now().uptimeNanoseconds &- begun)
        begun = DispatchTime.now().uptimeNanoseconds
        guard let next = ahead.next() else { return false }
        index = next
        list.comeToSegment(index, expected)
        let packed = try list.read(index, columns)
        part.begin(packed)
        hold(packed.bytes + part.bytes)
        isInSegment = true
        segment += 1
        return true
    }

    /// Fills `heads` with those of the current segment's parts that touch the stretch. Throws `damaged`.
    package mutating func readHeads(into heads: inout [PartHead]) throws(StorageError) {
        part.readHeads(within: window, into: &heads)
        hold(held + heads.capacity * MemoryLayout<PartHead>.stride)
        try check()
    }

    /// Writes the sessions of the current segment's parts that touch the stretch over what is in `heads`;
    /// only with the column `sessions`, and before its first part. Throws `damaged`.
    /// - Parameters:
    ///   - excluded: parts that touch this stretch are left out
    ///   - gap: which gaps within a part are not long, milliseconds
    /// - Returns: how many they are
    package mutating func readSessions(
        except excluded: Range<Int64>?, gap: Int64, into heads: inout [SessionHead]
    ) throws(StorageError) -> Int {
        let count = part.readSessions(within: window, except: excluded, gap: gap, into: &heads)
        hold(held + heads.capacity * MemoryLayout<SessionHead>.stride)
        try check()
        return count
    }

    private mutating func hold(_ bytes: Int) {
        list.account?.add(bytes - held)
        held = bytes
    }

    /// To be called where a part's events were read and are not asked for again.
    package func check() throws(StorageError) {
        if part.isBroken { throw damage }
    }

    /// The error where a segment is not what was written.
    package var damage: StorageError { list.damage }

    /// Columns of some attributes of the events of a name in the current segment.
    /// Throws what the database throws, and `damaged`.
    /// - Parameters:
    ///   - keys: the same each time
    ///   - name: its row
    package mutating func attributes(
        _ keys: [AttributeKey], ofName name: Int64
    ) throws(StorageError) -> [AttributeColumn] {
        try ahead.attributes(keys, ofName: name, at: index)
    }

    /// Adds columns of the current segment. Throws what the database throws, and `damaged`.
    package mutating func load(_ columns: SegmentReader.Columns) throws(StorageError) {
        let missing = columns.subtracting(part.columns)
        if missing.isEmpty { return }
        let packed = try list.read(index, missing)
        for (column, bytes) in packed.columns { part.load(column, bytes) }
        hold(held + packed.bytes)
        // Before anybody reads a part that may be damaged.
        try check()
    }
}
