/// Why a time zone cannot be used.
package enum TimeZoneError: Error, Equatable {
    /// The name has other characters than `[A-Za-z0-9_+/-]`, or an empty part.
    case invalidName
    /// tzdata has no regular file of that name.
    case unknown
    /// The file is not TZif as RFC 9636 says.
    case damaged
}
