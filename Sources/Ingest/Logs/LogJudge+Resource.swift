import Events
import JSON
import Sealing

/// The resource.
extension LogJudge {
    mutating func readResource(_ bytes: Span<UInt8>) {
        attributes.arrange(bytes)
        resource = Resource()
        rawDeviceID.overwrite()
        rawDeviceID = []
        var (first, second): (ReadValue?, ReadValue?) = (nil, nil)
        for position in attributes.order.indices {
            let attribute = attributes[attributes.order[position]]
            let member = member(attribute.key, bytes)
            if member >= Resource.members.count {
                if member == Resource.members.count {
                    first = attribute.value
                } else {
                    second = attribute.value
                }
            } else if member >= 0 {
                resource[member] = text(of: attribute.value, bytes)
            }
        }
        let identity = first.flatMap { $0.kind == .none ? nil : $0 } ?? second
        guard let value = identity, value.kind == .string,
            (1...BatchLimit.deviceID).contains(value.text.count)
        else { return }
        rawDeviceID = copy(value.text, bytes)
        if !StorableText.isStorable(rawDeviceID.span) {
            rawDeviceID.overwrite()
            rawDeviceID = []
        }
    }

    /// The index of a resource attribute in `resourceNames`; -1 if it is none.
    private func member(_ key: TextSlot, _ bytes: Span<UInt8>) -> Int {
        if key.isMade {
            let made = attributes.made
            return resourceNames.find(
                made.span, key.start, key.end, hash: events.hash.hash(made.span, key.start, key.end)
            )
        }
        return resourceNames.find(
            bytes, key.start, key.end, hash: events.hash.hash(bytes, key.start, key.end))
    }

    private func copy(_ text: TextSlot, _ bytes: Span<UInt8>) -> [UInt8] {
        text.isMade
            ? Array(attributes.made[text.start..<text.end])
            : bytes.extracting(text.start..<text.end).withUnsafeBufferPointer { Array($0) }
    }

    /// A listed member as text; "" where it is not given, or cannot be stored.
    private mutating func text(of value: ReadValue, _ bytes: Span<UInt8>) -> String {
        switch value.kind {
        case .none: return ""
        case .bool: return value.bits != 0 ? "true" : "false"
        case .integer: return String(Int64(bitPattern: value.bits))
        case .double:
            let number = Double(bitPattern: value.bits)
            guard number.isFinite else { return StorableText.name(of: number) }
            var text: [UInt8] = []
            DecimalForm.append(number, to: &text)
            return String(decoding: text, as: UTF8.self)
        case .digits: return cut(attributes.digits(of: value, bytes))
        case .string, .made: return cut(copy(value.text, bytes))
        }
    }

    /// A text as a member may have it: first it is a string as any attribute.
    private func cut(_ text: [UInt8]) -> String {
        let string = text.span.extracting(
            0..<StorableText.cut(text.span, to: BatchLimit.attributeText))
        guard StorableText.isStorable(string) else { return "" }
        let count = StorableText.cut(string, to: BatchLimit.resourceMember)
        return String(decoding: text[..<count], as: UTF8.self)
    }
}
