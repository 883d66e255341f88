import Database
import Storage

extension Store {
    /// Opens a store, carries out what receipts of erasures name and the database has not done yet, and goes
    /// on with what an erasure or a prune has left.
    /// - Throws: as `Store.init` does
    package static func open(_ options: Options) throws(StorageError) -> Store {
        var isClean = true
        let store = try Store(options) { (directory, patience) throws(StorageError) in
            isClean = try Erasure.catchUp(directory, patience: patience)
        }
        // A prune may have been stopped midway.
        let hasStaleDays = try !StaleDay.all(store.reader()).isEmpty
        if !isClean || hasStaleDays { store.retryLater() }
        return store
    }
}
