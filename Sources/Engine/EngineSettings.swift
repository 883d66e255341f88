/// Settings of the engine that are given with every request, so that nothing hangs on a server's profile.
/// A server is asked which it knows: older ones refuse a setting that came later.
enum EngineSettings {
    /// For all requests: what a profile could change of an answer or of what is stored.
    static let all: [(String, String)] = [
        // The whole answer is made before its status is sent: a 200 is followed by no exception.
        ("wait_end_of_query", "1"),
        ("max_query_size", "10485760"),
        ("max_ast_elements", "500000"),
        ("max_expanded_ast_elements", "5000000"),
        ("extremes", "0"),
        ("add_http_cors_header", "0"),
    ]

    /// For statements that read.
    static let reading: [(String, String)] = [
        ("join_use_nulls", "0"),
        ("optimize_move_to_prewhere", "0"),
        ("max_bytes_before_external_group_by", "2000000000"),
        ("max_rows_to_read", "0"), ("max_bytes_to_read", "0"),
        ("max_result_rows", "0"), ("max_result_bytes", "0"),
        ("max_rows_to_group_by", "0"), ("max_rows_in_set", "0"), ("max_rows_in_join", "0"),
        ("result_overflow_mode", "throw"), ("timeout_overflow_mode", "throw"),
        ("select_sequential_consistency", "0"),
        ("cancel_http_readonly_queries_on_client_close", "1"),
        ("timeout_before_checking_execution_speed", "0"),
        ("min_execution_speed", "0"),
        ("final", "0"), ("limit", "0"), ("offset", "0"),
        ("prefer_column_name_to_alias", "0"), ("transform_null_in", "0"),
        ("any_join_distinct_right_table_keys", "0"),
        ("joined_subquery_requires_alias", "1"),
    ]

    /// For statements that write rows.
    static let writing: [(String, String)] = [
        // Rows that are handed over again are to be there again, also where a block of the same bytes was there.
        ("insert_deduplicate", "0"),
        // A 200 means that they are in the table.
        ("async_insert", "0"),
        ("max_partitions_per_insert_block", "0"),
        ("insert_quorum", "0"),
    ]

    /// For statements that change tables or rows in them.
    static let changing: [(String, String)] = [
        // It is waited for by looking: a request lasts no longer than it has to.
        ("mutations_sync", "0"), ("replication_alter_partitions_sync", "2"),
    ]

    /// All of which a server is asked whether it knows them. `wait_end_of_query` is one of the HTTP
    /// interface, which all servers know and none lists.
    static let asked: [String] = (all.dropFirst() + reading + writing + changing).map(\.0)

    /// As the end of a URL's query.
    /// - Parameter known: what the server knows; nil before it was asked: then only what needs no asking
    static func query(_ settings: [(String, String)], known: Set<String>?) -> String {
        settings.filter { $0.0 == "wait_end_of_query" || known?.contains($0.0) == true }
            .map { "&\($0.0)=\($0.1)" }.joined()
    }
}
