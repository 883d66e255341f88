/// The devices of a bucket of days.
package struct ActiveDevices: Hashable, Sendable {
    /// How many had an event in the bucket.
    package var active = 0
    /// How many of them were first seen in it.
    package var new = 0
    /// How many had an event in each of the trailing stretches that were asked for, in their order.
    package var trailing: [Int]

    /// No devices.
    package init(trailing: [Int] = []) { self.trailing = trailing }
}

/// Sums over the sessions of a bucket.
package struct SessionSums: Hashable, Sendable {
    package var sessions = 0
    /// Sessions of devices that are not shared.
    package var unshared = 0
    /// Devices that are not shared and began one.
    package var devices = 0
    /// Milliseconds of all sessions.
    package var duration: Int128 = 0
    /// The nearest ranks that were asked for, in milliseconds; nil without sessions.
    package var ranks: [Int64?] = []
    package var closed = 0
    package var inferred = 0
    package var open = 0

    /// No sessions.
    package init() {}
}

/// Devices first seen in one bucket.
package struct Cohort: Hashable, Sendable {
    package var size: Int
    /// How many were active in its own period and in each after it; nil for a period after today.
    package var active: [Int?]

    /// A cohort.
    package init(size: Int, active: [Int?]) {
        self.size = size
        self.active = active
    }
}

/// Lives of one length.
package struct Lifetime: Hashable, Sendable {
    /// How many devices were last active on this day of their life.
    package var ended = 0
    /// How many of them were lost.
    package var lost = 0

    /// No devices.
    package init() {}
}

/// Sums over the events of a name.
package struct NamedSum: Hashable, Sendable {
    /// Index of the bucket; 0 where no buckets were asked for.
    package var bucket: Int
    /// Nil for events without the attribute.
    package var name: ByteText?
    /// The sum of the amounts, at most 2^53−1.
    package var total: Int64
    package var events: Int
    /// Devices that are not shared.
    package var devices: Int

    /// A sum.
    package init(bucket: Int, name: ByteText?, total: Int64, events: Int, devices: Int) {
        self.bucket = bucket
        self.name = name
        self.total = total
        self.events = events
        self.devices = devices
    }
}

/// The operating systems of a range.
package struct Platforms: Hashable, Sendable {
    /// One operating system.
    package struct System: Hashable, Sendable {
        package var name: ByteText
        package var devices: Int
        package var sessions: Int
        /// Sessions of devices that are not shared.
        package var unshared: Int
        /// Milliseconds of all sessions.
        package var duration: Int128

        /// A system.
        package init(
            name: ByteText, devices: Int, sessions: Int, unshared: Int, duration: Int128
        ) {
            self.name = name
            self.devices = devices
            self.sessions = sessions
            self.unshared = unshared
            self.duration = duration
        }
    }

    /// The systems in their order, as many as were asked for.
    package var systems: [System]
    /// Sums over all systems.
    package var devices, duration: Int128

    /// Systems and the sums over all of them.
    package init(systems: [System], devices: Int128, duration: Int128) {
        self.systems = systems
        self.devices = devices
        self.duration = duration
    }
}

/// The values of one member of the batches' resources.
package struct Versions: Hashable, Sendable {
    /// One value.
    package struct Value: Hashable, Sendable {
        /// Index of the bucket; 0 where none were asked for.
        package var bucket: Int
        package var name: ByteText
        package var devices: Int
        package var sessions: Int
        /// Those of the devices that were first seen in the bucket, or in the range.
        package var new: Int

        /// A value.
        package init(bucket: Int, name: ByteText, devices: Int, sessions: Int, new: Int) {
            self.bucket = bucket
            self.name = name
            self.devices = devices
            self.sessions = sessions
            self.new = new
        }
    }

    /// The rows of as many values as were asked for, in their order.
    package var values: [Value]
    /// Devices of all values, by bucket.
    package var devices: [Int]

    /// Values and the devices of all of them.
    package init(values: [Value], devices: [Int]) {
        self.values = values
        self.devices = devices
    }
}

/// Sums over the events of a content.
package struct ContentSums: Hashable, Sendable {
    package var content: ByteText
    package var views, viewers: Int
    package var completions, completers: Int
    /// Devices whose first completion ever is in the scope of the question.
    package var credited: Int

    /// Sums of a content.
    package init(
        content: ByteText, views: Int, viewers: Int, completions: Int, completers: Int,
        credited: Int
    ) {
        self.content = content
        self.views = views
        self.viewers = viewers
        self.completions = completions
        self.completers = completers
        self.credited = credited
    }
}

/// How a video was watched in full screen.
package struct VideoSums: Hashable, Sendable {
    package var video: ByteText
    package var enters, devices: Int
    /// Milliseconds of all pairs of an enter and its exit.
    package var duration: Int128
    /// The nearest ranks that were asked for, in milliseconds; nil without a pair.
    package var ranks: [Int64?]

    /// Sums of a video.
    package init(
        video: ByteText, enters: Int, devices: Int, duration: Int128, ranks: [Int64?]
    ) {
        self.video = video
        self.enters = enters
        self.devices = devices
        self.duration = duration
        self.ranks = ranks
    }
}

/// Sums over the batches that arrived.
package struct Arrivals: Sendable {
    /// Sums over the batches of one bucket.
    package struct Bucket: Hashable, Sendable {
        package var batches = 0
        package var duplicates: Int128 = 0
        package var events: Int128 = 0
        package var rejected: Int128 = 0
        package var bytes: Int128 = 0
        package var corrected = 0
        package var missing: Int128 = 0
        package var dropped: Int128 = 0
        /// The nearest ranks of arrival − event time that were asked for, in milliseconds; nil
        /// without events.
        package var late: [Int64?] = []

        /// No batches.
        package init() {}
    }

    /// Of one client, or of several.
    package struct ClientSums: Hashable, Sendable {
        package var batches = 0
        /// Events; both sums are at most 2^53−1.
        package var rejected: Int64 = 0
        package var dropped: Int64 = 0

        /// Nothing.
        package init() {}
    }

    /// The batches by the program that made them.
    package struct Clients: Sendable {
        /// As many as were asked for, those with most batches, ties by the bytes of `NAME/VERSION`; in the
        /// order of these.
        package var named: [(name: ByteText, sums: ClientSums)] = []
        /// All others together; nil where there are none.
        package var others: ClientSums?

        /// None.
        package init() {}
    }

    package var buckets: [Bucket]
    /// Batches by the name of their profile and by that of their key, in the order of the names'
    /// bytes.
    package var profiles, keys: [(name: ByteText, batches: Int)]
    package var clients: Clients

    /// Sums by bucket and by name.
    package init(
        buckets: [Bucket], profiles: [(name: ByteText, batches: Int)],
        keys: [(name: ByteText, batches: Int)], clients: Clients
    ) {
        self.buckets = buckets
        self.profiles = profiles
        self.keys = keys
        self.clients = clients
    }
}

/// Sums over what was refused for one reason in one bucket.
package struct RefusalSum: Hashable, Sendable {
    /// Index of the bucket.
    package var bucket: Int
    package var code: ByteText
    package var batches, events: Int128

    /// A sum.
    package init(bucket: Int, code: ByteText, batches: Int128, events: Int128) {
        self.bucket = bucket
        self.code = code
        self.batches = batches
        self.events = events
    }
}
