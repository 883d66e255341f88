/// Base64 with padding (RFC 4648 §4), as header fields have it.
package enum Base64 {
    package static func encode(_ bytes: Span<UInt8>) -> String {
        var out = [UInt8]()
        Base64URL.append(bytes, to: &out)
        for index in out.indices {
            switch out[index] {
            case UInt8(ascii: "-"): out[index] = UInt8(ascii: "+")
            case UInt8(ascii: "_"): out[index] = UInt8(ascii: "/")
            default: break
            }
        }
        while out.count % 4 != 0 { out.append(UInt8(ascii: "=")) }
        return String(decoding: out, as: UTF8.self)
    }
}
