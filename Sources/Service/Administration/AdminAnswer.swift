/// What comes back over the control socket.
package enum AdminAnswer: Codable, Sendable, Equatable {
    case done(AdminResult)
    case failed(AdminFailure)
}
