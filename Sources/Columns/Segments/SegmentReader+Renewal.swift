import Events

extension SegmentReader.Group {
    /// Whether what is stored of it is what its events say.
    package func agrees(with summary: GroupSummary) -> Bool {
        hasStart == summary.hasStart && hasTransition == summary.hasTransition
            && isInBackground == summary.isInBackground && silence == summary.silence
            && lead == summary.lead
    }
}

/// What a segment of the first form has to become (`SegmentReader.currentForm`).
extension SegmentReader {
    /// The column of sessions in the current form, from the events; only with the columns `times` and `names`, and
    /// before the first part. Nil where the segment is not what was written.
    /// - Parameter kinds: what events of the segment's names are to their sessions, by index
    package mutating func renewedSessions(_ kinds: [SessionEventKind]) -> [UInt8]? {
        var renewed = PackedWriter()
        while next() {
            readTimes()
            readNames()
            if isBroken { return nil }
            let start = groups.count > 1 ? first : nil
            for group in groups {
                guard group.session != nil else {
                    GroupSummary.append(
                        0, count: group.range.count, from: group.first, to: group.last,
                        ofPartFrom: start, to: &renewed)
                    continue
                }
                summary(of: group, kinds).append(
                    to: &renewed, count: group.range.count, ofPartFrom: start)
            }
        }
        return isBroken ? nil : SegmentPacker.column(keys: sessions, groups: renewed.bytes)
    }

    /// The summary of a group of the part whose times and names were read.
    package func summary(of group: Group, _ kinds: [SessionEventKind]) -> GroupSummary {
        var summary = GroupSummary()
        for index in group.range {
            summary.add(time: times[index], kind: kinds[Int(names[index])])
        }
        return summary
    }
}
