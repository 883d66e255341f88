import Events
import JSON

/// One record.
extension LogJudge {
    mutating func judge(_ place: RecordPlace, _ bytes: Span<UInt8>) {
        attributes.arrange(bytes)
        let time = record.time != 0 ? record.time : record.observedTime
        var draft = events.draft()
        // Even where nothing comes of it: what is appended takes the place of the record before.
        digests.beginRecord(time: time)
        takeName(bytes, &draft)
        draft.hasTime = true
        if time == 0 {
            draft.breakRule(.time)
        } else {
            draft.time = Int64(time / 1_000_000)
        }
        if draft.broken == nil { takeAttributes(bytes, &draft) }
        if let broken = events.finish(draft, recordsOfBatch, context) {
            rejections.add(broken, at: place)
            if isCollecting { digests.addRejected(time: time, code: broken.code) }
        } else if isCollecting {
            fingerprints.append(digests.endRecord())
        }
    }

    private mutating func takeName(_ bytes: Span<UInt8>, _ draft: inout EventJudge.Draft) {
        var slot = record.name
        if slot.count == 0 {
            guard let other = value(of: LogMapping.nameAttribute, bytes), other.kind == .string,
                other.text.count > 0
            else {
                draft.hasName = true
                return draft.breakRule(.notAnEvent)
            }
            slot = other.text
        }
        var number = -1
        if let event = lifecycleEvent(slot, bytes) {
            number = event
        } else if slot.count <= BatchLimit.eventName {
            if slot.isMade {
                let made = attributes.made
                number = intern(name: slot, made.span)
            } else {
                number = intern(name: slot, bytes)
            }
        }
        events.take(name: number, &draft)
        if draft.name >= 0 { events.names.read(draft.name) { digests.append(text: $0) } }
    }

    private mutating func intern(name: TextSlot, _ source: Span<UInt8>) -> Int {
        events.names.intern(
            source, name.start, name.end, hash: events.hash.hash(source, name.start, name.end))
    }

    /// The standard event that a state of the app stands for, as its number in `names`; nil where it is none.
    private func lifecycleEvent(_ name: TextSlot, _ bytes: Span<UInt8>) -> Int? {
        guard attributes.matches(name, LogMapping.lifecycleEvent, bytes),
            let session = value(of: StandardAttribute.sessionID.key, bytes), session.kind != .none
        else { return nil }
        var state: ReadValue?
        for key in LogMapping.lifecycleAttributes {
            guard let value = value(of: key, bytes), value.kind != .none else { continue }
            // Where both are there it is no platform's.
            guard state == nil else { return nil }
            state = value
        }
        guard let state, state.kind == .string else { return nil }
        for (text, event) in LogMapping.lifecycleStates
        where attributes.matches(state.text, text, bytes) {
            return StandardEvent.allCases.firstIndex(of: event)
        }
        return nil
    }

    /// The value of a key; nil where the record has no such attribute.
    private func value(of key: String, _ bytes: Span<UInt8>) -> ReadValue? {
        for index in attributes.order where attributes.matches(attributes[index].key, key, bytes) {
            return attributes[index].value
        }
        return nil
    }

    /// What is stored of the attributes; nothing more once a rule is broken.
    private mutating func takeAttributes(_ bytes: Span<UInt8>, _ draft: inout EventJudge.Draft) {
        if attributes.isOverfull { return draft.breakRule(.attributeCount) }
        var count = 0
        for position in attributes.order.indices {
            let attribute = attributes[attributes.order[position]]
            let broken: EventRule?
            if attribute.key.isMade {
                let made = attributes.made
                broken = take(attribute, made.span, bytes, &count, &draft)
            } else {
                broken = take(attribute, bytes, bytes, &count, &draft)
            }
            if let broken { return draft.breakRule(broken) }
        }
    }

    /// - Parameter keys: in which its key stands
    /// - Returns: the rule that it breaks
    private mutating func take(
        _ attribute: ReadAttribute, _ keys: Span<UInt8>, _ bytes: Span<UInt8>, _ count: inout Int,
        _ draft: inout EventJudge.Draft
    ) -> EventRule? {
        let key = attribute.key
        let hash = events.hash.hash(keys, key.start, key.end)
        if unstored.find(keys, key.start, key.end, hash: hash) >= 0 { return nil }
        if attribute.value.kind == .none {
            let isText = StorableText.isStorable(keys.extracting(key.start..<key.end))
            return isText ? nil : .attributeText
        }
        count += 1
        guard count <= BatchLimit.attributes else { return .attributeCount }
        guard key.count > 0, key.count <= BatchLimit.attributeKey else { return .attributeKey }
        let number = events.keys.intern(keys, key.start, key.end, hash: hash)
        if events.keys[mark: number] != NameMark.valid {
            guard events.keys.read(number, StorableText.isStorable) else { return .attributeText }
            events.keys[mark: number] = NameMark.valid
        }
        events.keys.read(number) { digests.append(text: $0) }
        return takeValue(attribute.value, number, bytes, &draft) ? nil : .attributeText
    }

    /// - Returns: false where a text within is not UTF-8, or has U+0000
    private mutating func takeValue(
        _ value: ReadValue, _ key: Int, _ bytes: Span<UInt8>, _ draft: inout EventJudge.Draft
    ) -> Bool {
        switch value.kind {
        case .string, .made:
            if value.text.isMade {
                let made = attributes.made
                return takeText(made.span, value.text, key, &draft)
            }
            return takeText(bytes, value.text, key, &draft)
        case .digits:
            let digits = attributes.digits(of: value, bytes)
            return takeText(digits.span, TextSlot(end: digits.count), key, &draft)
        case .none: return true
        case .bool, .integer, .double: break
        }
        escaped.removeAll(keepingCapacity: true)
        var (kind, measure) = (FormBounds.Kind.other, Int64(0))
        switch value.kind {
        case .bool: escaped += (value.bits != 0 ? "true" : "false").utf8
        case .integer:
            let number = Int64(bitPattern: value.bits)
            Writer.append(number, to: &escaped)
            if number.magnitude <= BatchLimit.integer.magnitude {
                (kind, measure) = (.integer, number)
            } else {
                (kind, measure) = (.text, Int64(escaped.count))
                escaped.insert(UInt8(ascii: "\""), at: 0)
                escaped.append(UInt8(ascii: "\""))
            }
        default:
            let number = Double(bitPattern: value.bits)
            if number.isFinite {
                DecimalForm.append(number, to: &escaped)
            } else {
                let name = StorableText.name(of: number)
                (kind, measure) = (.text, Int64(name.utf8.count))
                Writer.append(name, to: &escaped)
            }
        }
        let json = escaped
        digests.append(text: json.span)
        if key == EventJudge.sessionKey {
            // A string that was made has no escapes.
            let text = kind == .text ? 1..<json.count - 1 : 0..<0
            takeSession(json.span.extracting(text), &draft)
            return true
        }
        events.beginAttribute(key, kind, measure, &draft)
        events.blobs.append(json.span, 0, json.count)
        return true
    }

    /// Takes `session.id` as the string that it is, or has become; an empty one is none.
    private mutating func takeSession(_ text: Span<UInt8>, _ draft: inout EventJudge.Draft) {
        var number = -1
        if text.count > 0, text.count <= BatchLimit.sessionID {
            number = events.sessions.intern(
                text, 0, text.count, hash: events.hash.hash(text, 0, text.count))
        }
        events.take(session: number, &draft)
    }

    private mutating func takeText(
        _ source: Span<UInt8>, _ slot: TextSlot, _ key: Int, _ draft: inout EventJudge.Draft
    ) -> Bool {
        let whole = source.extracting(slot.start..<slot.end)
        let count = StorableText.cut(whole, to: BatchLimit.attributeText)
        let text = whole.extracting(0..<count)
        let isPlain = PlainText.end(of: text, from: 0) == count
        guard isPlain || StorableText.isStorable(text) else { return false }
        if isPlain {
            digests.append(quoted: text)
        } else {
            escaped.removeAll(keepingCapacity: true)
            Writer.append(text, to: &escaped)
            let json = escaped
            digests.append(text: json.span)
        }
        if key == EventJudge.sessionKey {
            takeSession(text, &draft)
            return true
        }
        events.beginAttribute(key, .text, Int64(truncatingIfNeeded: count), &draft)
        if isPlain {
            events.blobs.append(UInt8(ascii: "\""))
            events.blobs.append(text, 0, count)
            events.blobs.append(UInt8(ascii: "\""))
        } else {
            let json = escaped
            events.blobs.append(json.span, 0, json.count)
        }
        return true
    }
}
