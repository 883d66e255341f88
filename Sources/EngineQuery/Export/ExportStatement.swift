import Engine
import Events
import Query
import TimeZones

/// The statement of a page of an export: the next events in a stretch of time, in the order of their lines.
struct ExportStatement {
    let app: QueryApp
    let filter: ResourceFilter
    let device: DeviceHash?

    private static let resource =
        "os_name, os_version, device_model, device_manufacturer, service_version, app_build_id, "
        + "sdk_name, sdk_version"

    /// - Parameters:
    ///   - stretch: milliseconds since 1970; nil: all time
    ///   - position: the event after which they come
    ///   - limit: how many events
    func sql(in stretch: Range<Int64>?, after position: ExportPosition?, limit: Int) -> String {
        var rows = ["app = \(SQL.quoted(app.name))"]
        if let device { rows.append("device = \(SQL.device(device.bytes))") }
        let columns = ["os_name", "os_version", "service_version", "device_model"]
        for (column, values) in zip(columns, filter.values) where !values.isEmpty {
            rows.append("\(SQL.known(column)) IN (\(SQL.list(values)))")
        }
        var events = ["1"]
        if let stretch {
            rows.append("last_time >= \(stretch.lowerBound)")
            rows.append("first_time < \(stretch.upperBound)")
            events.append(LocalTime.within("e_time", [stretch]))
        }
        if let position {
            rows.append("last_time >= \(position.time)")
            events.append(Self.isAfter(position))
        }
        let (of, which) = (rows.joined(separator: " AND "), events.joined(separator: " AND "))
        let order = "ORDER BY e_time, batch_id, e_place, device LIMIT \(limit)"
        // Their batches are found by times alone: what else events have is read of these batches. A condition on
        // the table's key may come before `FINAL`: it keeps all rows of a key or none.
        let batches = """
            SELECT device, batch_id FROM (SELECT device, batch_id, e_time, e_place FROM \
            (SELECT device, batch_id, event.time AS a_time, event.place AS a_place \
            FROM batch FINAL WHERE \(of)) ARRAY JOIN a_time AS e_time, a_place AS e_place \
            WHERE \(which) \(order))
            """
        return """
            SELECT e_time, batch_id, e_place, device, received_at, \(Self.resource), e_name, \
            e_session, e_keys, e_values FROM \
            (SELECT batch_id, device, received_at, \(Self.resource), event.time AS a_time, \
            event.place AS a_place, event.name AS a_name, event.session AS a_session, \
            event.keys AS a_keys, event.values AS a_values FROM batch FINAL \
            PREWHERE (device, batch_id) IN (\(batches)) WHERE \(of)) \
            ARRAY JOIN a_time AS e_time, a_place AS e_place, a_name AS e_name, \
            a_session AS e_session, a_keys AS e_keys, a_values AS e_values \
            WHERE \(which) \(order)
            """
    }

    private static func isAfter(_ position: ExportPosition) -> String {
        let (time, index) = (position.time, position.index)
        let id = SQL.quoted(position.batchID)
        let device = SQL.device(position.device.bytes)
        return """
            (e_time > \(time) OR (e_time = \(time) AND (batch_id > \(id) OR (batch_id = \(id) \
            AND (e_place > \(index) OR (e_place = \(index) AND device > \(device)))))))
            """
    }
}

/// An event as a statement answers it.
struct ExportRow: Sendable {
    let position: ExportPosition
    let receivedAt: Int64
    let resource: [ResourceMember]
    let name: [UInt8]
    let session: [UInt8]
    let keys: [[UInt8]]
    /// Each a letter and a text.
    let values: [[UInt8]]

    init(_ row: inout RowBinary.Reader) throws(RowFailure) {
        let time = try row.int64()
        let batchID = try row.text()
        let place = Int64(try row.uint16())
        let high = try row.uint64().byteSwapped
        let device = DeviceHash(high: high, low: try row.uint64().byteSwapped)
        position = ExportPosition(time: time, index: place, device: device, batchID: batchID)
        receivedAt = try row.int64()
        resource = try DeviceQuestion.members(&row)
        name = try row.bytes()
        session = try row.bytes()
        keys = try row.array { (row) throws(RowFailure) in try row.bytes() }
        values = try row.array { (row) throws(RowFailure) in try row.bytes() }
    }

    /// Whether it comes before another.
    func precedes(_ other: ExportRow) -> Bool {
        let (a, b) = (position, other.position)
        if a.time != b.time { return a.time < b.time }
        if a.batchID != b.batchID { return a.batchID < b.batchID }
        if a.index != b.index { return a.index < b.index }
        return (a.device.high, a.device.low) < (b.device.high, b.device.low)
    }
}
