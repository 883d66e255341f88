import Foundation

/// Milliseconds since 1970, now.
var now: Int64 { Int64(Date().timeIntervalSince1970 * 1000) }

/// `YYYY-MM-DD` of the day so many days from today, in UTC.
func day(_ offset: Int) -> String {
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_US_POSIX")
    format.timeZone = TimeZone(secondsFromGMT: 0)
    format.dateFormat = "yyyy-MM-dd"
    return format.string(from: Date(timeIntervalSinceNow: Double(offset) * 86_400))
}

/// A small batch of `count` events of one device.
func batch(_ id: String, device: String = "phone", count: Int = 3, at moment: Int64 = now) -> String
{
    let events = (0..<count).map { index in
        #"{"name":"app.tap","time":\#(moment - 60_000 + Int64(index)),"attributes":{"n":\#(index)}}"#
    }
    return
        #"{"batch_id":"\#(id)","resource":{"app.installation.id":"\#(device)","os.name":"iOS"},"events":[\#(events.joined(separator: ","))]}"#
}
