import Database
import Engine
import Storage

/// Why something that nodes do together was not done.
package enum ForwardingError: Error, Sendable, CustomStringConvertible {
    /// The engine did not do it.
    case engine(EngineError)
    /// The node's own database did not.
    case storage(StorageError)
    /// Another node has made or changed the same at the same time.
    case outrun(kind: RegistryRow.Kind, name: String)
    /// The engine was told to do it, and whether it did is not known.
    case unclear(EngineError)
    /// The engine has something else under a name that this node has, too.
    case differs(kind: RegistryRow.Kind, name: String)

    package var description: String {
        switch self {
        case .engine(let error): error.description
        case .storage(let error): error.description
        case .outrun(let kind, let name):
            "another node has made or changed \(kind.rawValue) \(name) at the same moment; "
                + "look at what it is now, and try again"
        case .unclear(let error):
            "\(error.description); whether the engine has taken it is not known: look in ten seconds what is there, "
                + "and try again if it is not"
        case .differs(let kind, let name):
            "\(kind.rawValue) \(name) is not the same here and in the engine; "
                + "what both have under one name has to be the same: see Moving in docs/scale.md"
        }
    }

    /// Runs something that asks the engine.
    static func asking<T>(_ work: () throws(EngineError) -> T) throws(ForwardingError) -> T {
        do throws(EngineError) { return try work() } catch { throw .engine(error) }
    }

    /// Tells the engine of a change that all nodes take over.
    /// - Parameters:
    ///   - isOneOfSeveral: there are replicas, and one that failed before may have taken it
    ///   - tell: has the engine make it
    ///   - look: whatever becomes of it, the change is there
    static func changing<T>(
        isOneOfSeveral: Bool, _ tell: () throws(ForwardingError) -> Void,
        then look: () throws(ForwardingError) -> T
    ) throws(ForwardingError) -> T {
        do throws(ForwardingError) { try tell() } catch {
            if case .engine(let cause) = error, cause.mayBeDone || isOneOfSeveral {
                throw .unclear(cause)
            }
            throw error
        }
        do throws(ForwardingError) { return try look() } catch {
            if case .engine(let cause) = error { throw .unclear(cause) }
            throw error
        }
    }

    /// Runs something that uses the node's database.
    static func storing<T>(_ work: () throws(StorageError) -> T) throws(ForwardingError) -> T {
        do throws(StorageError) { return try work() } catch { throw .storage(error) }
    }

    /// Reads an answer of the engine.
    static func reading<T>(
        _ answer: [UInt8], _ work: (inout RowBinary.Reader) throws(RowBinary.Failure) -> T
    ) throws(ForwardingError) -> T {
        var reader = RowBinary.Reader(answer)
        do throws(RowBinary.Failure) { return try work(&reader) } catch {
            throw .engine(EngineError(.cut, "engine: \(error)"))
        }
    }
}
