import Columns

extension StoreWriter {
    /// How much the writer takes, holds and does at once.
    package struct WriteLimits: Sendable {
        /// Batches that may wait; one more is refused at once.
        package var pendingBatches = 4096
        /// Batches of one commit. The knee of what a shared sync gains is at 64 to 256.
        package var batchesPerCommit = 256
        /// For how long a group takes further batches, in nanoseconds.
        package var groupNanoseconds: UInt64 = 20_000_000
        /// A group that has been filled for so many times as long as the last commit took ends where no more requests
        /// wait than it ends.
        package var commitsPerGroup: UInt64 = 3
        /// A batch with so many bytes of attributes begins a group: those that are in one need not wait for the megabytes
        /// that it writes.
        package var largeBatch = 2 << 20
        /// For how long a batch is prepared before others get their turn, in nanoseconds.
        package var sliceNanoseconds: UInt64 = 5_000_000
        /// For how long a group waits for the words of one batch to be looked up, in nanoseconds.
        package var glanceNanoseconds: UInt64 = 500_000
        /// A batch with more names and attribute keys is prepared before its group.
        package var wordsInGroup = 64
        /// Names and attribute keys that the stored events of an app may have (docs/protocol.md, Names).
        package var maxNames = 100_000
        /// The number of frames in the WAL at which it is moved to the file: 4 MB. Four times as many
        /// take a tenth less CPU, but a small disk has better use for the space.
        package var framesPerCheckpoint = 1000
        /// The number of frames that are worth moving beside the writer; fewer it moves itself.
        package var framesMovedBeside = 256
        /// While a reader holds the WAL, or its file is long, it is looked at again after so many milliseconds.
        package var millisecondsBetweenLooks = 10_000
        /// Events of an app that the writer holds in memory, some 40 bytes each, before it packs them
        /// into segments; of all apps four times as many.
        package var eventsPerSegment = Segment.maxEvents
        /// Whether it packs events at all: not where all reports are asked of an engine. What was not packed the
        /// next writer that does packs with its first batch.
        package var makesSegments = true
        /// The number of batches that are entered in `repeat_key` together. The more, the fewer pages
        /// each of them costs, and the more memory and time at a start.
        package var batchesPerGeneration = 1 << 17
        /// How many of them are entered with one commit.
        package var keysPerSlice = 256
        /// Of a device with more batches whose records are known one by one all fingerprints are held in memory,
        /// once one of them has to be compared.
        package var batchesCompared = 1024
        /// The number of fingerprints that are held so, of all devices: some 30 bytes each.
        package var fingerprintsInMemory = 2_000_000
        /// What of the file the writer keeps in memory, in bytes.
        package var cacheBytes = 64 << 20
        /// Whether it is noted of which repeats and refusals the sums have changed, for a node that hands
        /// over what it counts.
        package var notesChanges = false
        /// How long the start waits for a reader that blocks the WAL, in milliseconds.
        package var patienceAtStart: Int32 = 5_000

        /// What a server is set to.
        package init() {}
    }
}
