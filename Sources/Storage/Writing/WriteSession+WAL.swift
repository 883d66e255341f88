import Database
import SQLiteFiles

/// How the WAL is kept short.
extension WriteSession {
    /// How many times the frames at which a checkpoint is due the WAL may have while requests are stored part by part.
    private static let patience = 16

    /// A WAL is long when it has so many times the frames at which a checkpoint is due.
    private static let longWAL = 4

    /// Moves the WAL to the file where it is long, as far as readers allow: most of it beside the writer. One that
    /// they block is let grow by a quarter before the next try, since each try looks at all frames that are left.
    /// - Parameters:
    ///   - isAsked: now, however little it has grown since the last try
    ///   - isPatient: not before it is several times as long as else
    ///   - again: to be called when what goes on beside the writer has ended, from another thread
    /// - Returns: whether it is some times as long as it should be
    func shortenWAL(
        isAsked: Bool, isPatient: Bool, again: @escaping @Sendable () -> Void
    ) throws(StorageError) -> Bool {
        let frames = framesInWAL
        longestWAL = max(longestWAL, frames)
        if movedFrames != frames { movedFrames = nil }
        let waits = isPatient && frames < Self.patience * limits.framesPerCheckpoint
        if frames < limits.framesPerCheckpoint { nextCheckpoint = limits.framesPerCheckpoint }
        var isHeldUp = nextCheckpoint > limits.framesPerCheckpoint
        let isLong = frames >= Self.longWAL * limits.framesPerCheckpoint
        if let open, let move = open.mover.takeEnded() {
            let isAsked = isAsked || open.mover.isAskedAgain
            isHeldUp = try !end(move, isLong: isLong, on: open, again)
            // A reader may have ended since that move began.
            if isHeldUp, isAsked { open.mover.begin(frames, ended: again) }
        } else if let open, open.mover.isMoving {
            open.mover.isAskedAgain = open.mover.isAskedAgain || isAsked
        } else if let open, !waits, movedFrames == nil,
            frames >= nextCheckpoint || isAsked && frames >= limits.framesPerCheckpoint
        {
            if frames >= limits.framesMovedBeside {
                open.mover.begin(frames, ended: again)
            } else {
                isHeldUp = try !checkpoint()
                noteCheckpoint(isHeldUp: isHeldUp)
            }
        }
        return isHeldUp && isLong
    }

    /// After a move beside the writer: what came meanwhile.
    /// - Returns: whether no reader blocks it
    private func end(
        _ move: WALMover.Move, isLong: Bool, on open: WritingConnection,
        _ again: @escaping @Sendable () -> Void
    ) throws(StorageError) -> Bool {
        let isWhole: Bool
        switch move.result {
        case .success(let moved): isWhole = moved
        case .failure(let error):
            failed(error)
            throw error
        }
        if isWhole, !isLong, framesInWAL - move.frames >= limits.framesMovedBeside {
            open.mover.begin(framesInWAL, ended: again)
            return true
        }
        let isMoved = isWhole ? try checkpoint() : false
        noteCheckpoint(isHeldUp: !isMoved)
        return isMoved
    }

    /// Whether a reader has held the WAL up, or its file may be longer than it should be.
    var isWALToBeLookedAt: Bool {
        nextCheckpoint > limits.framesPerCheckpoint
            || longestWAL >= Self.longWAL * limits.framesPerCheckpoint
    }

    /// Gives back what a long WAL takes on the disk, once all its frames are in the file: the next commit begins it anew
    /// in any case, but there may be none for hours.
    func cutWAL() throws(StorageError) {
        guard let open, trouble == nil, !open.mover.isMoving,
            longestWAL >= Self.longWAL * limits.framesPerCheckpoint
        else { return }
        if movedFrames != framesInWAL {
            // Few, since the last long one: else they are moved as ever.
            guard framesInWAL < limits.framesPerCheckpoint, try checkpoint() else { return }
            noteCheckpoint(isHeldUp: false)
        }
        do throws(StorageError) {
            if try open.connection.cutMovedWAL() { (longestWAL, movedFrames) = (0, nil) }
        } catch {
            failed(error)
            throw error
        }
    }

    /// Sets the length of the WAL at which the next is tried.
    private func noteCheckpoint(isHeldUp: Bool) {
        let frames = framesInWAL
        movedFrames = isHeldUp ? nil : frames
        nextCheckpoint =
            isHeldUp
            ? frames + max(limits.framesPerCheckpoint, frames / 4) : limits.framesPerCheckpoint
    }

    /// - Returns: whether the whole WAL was moved, so that the next commit restarts it
    private func checkpoint() throws(StorageError) -> Bool {
        guard let open else { return true }
        do throws(StorageError) {
            return try open.connection.checkpoint(.passive)
        } catch {
            // Somebody else checkpoints: then it is done.
            if error.kind == .busy { return true }
            failed(error)
            throw error
        }
    }
}
