import CSQLite
import Database
import Sealing

/// Makes `repeat_key.digest` of a batch's id: the first 64 bits of HMAC-SHA-256 under a key that
/// follows from the master key. A client that chooses ids cannot know which have the same digest, or
/// digests that are neighbours; and without the key nobody can recover an id from its digest.
package struct RepeatDigest {
    /// The SQL function `repeat_digest(text)`.
    static let name = "repeat_digest"

    private let code: HMACSHA256

    package init(_ key: MasterKey) { code = HMACSHA256(key: key.repeatKey.span) }

    /// For a database in which there is no batch.
    package static var ofNothing: RepeatDigest { RepeatDigest(MasterKey(bytes: [])) }

    /// Of the UTF-8 bytes of `batch.batch_id`, as a signed number.
    package func make(of batchID: Span<UInt8>) -> Int64 {
        Int64(bitPattern: code.authenticate(batchID).words.0)
    }

    /// Makes the function known to a connection, which keeps the key until it is closed.
    package func register(on connection: Connection) throws(StorageError) {
        let registered = sqlite3_create_function_v2(
            connection.handle, Self.name, 1,
            SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY,
            Unmanaged.passRetained(code).toOpaque(),
            { context, _, values in
                guard let value = values?[0], let key = sqlite3_user_data(context) else {
                    return sqlite3_result_null(context)
                }
                let code = Unmanaged<HMACSHA256>.fromOpaque(key).takeUnretainedValue()
                // The text first: asking for it may convert.
                let start = sqlite3_value_text(value)
                let count = start == nil ? 0 : Int(sqlite3_value_bytes(value))
                let digest = RepeatDigest(code: code).make(
                    of: UnsafeBufferPointer(start: start, count: count).span)
                sqlite3_result_int64(context, digest)
            }, nil, nil,
            { key in
                if let key { Unmanaged<HMACSHA256>.fromOpaque(key).release() }
            })
        guard registered == SQLITE_OK else {
            throw connection.failure("add a function to", registered)
        }
    }

    private init(code: HMACSHA256) { self.code = code }
}

/// A row of `repeat_key`: under what a batch is looked for when it comes again.
package struct RepeatKey: Equatable, Sendable {
    /// Row of the device.
    package let device: Int64
    /// Of the batch's id (`RepeatDigest`). Others may have the same: what is found is compared with the
    /// id itself.
    package let digest: Int64
    /// Row of the batch.
    package let batch: Int64

    /// A row.
    package init(device: Int64, digest: Int64, batch: Int64) {
        self.device = device
        self.digest = digest
        self.batch = batch
    }
}

extension RepeatKey: Comparable {
    /// As the table is ordered.
    package static func < (left: RepeatKey, right: RepeatKey) -> Bool {
        if left.device != right.device { return left.device < right.device }
        if left.digest != right.digest { return left.digest < right.digest }
        return left.batch < right.batch
    }
}

extension RepeatKey {
    /// The fact of `meta` up to which batch all are in `repeat_key`.
    package static let reach = "repeat_keys_to"
}
