import Testing

@testable import Service

@Suite("routes")
struct RouteTests {
    @Test(
        "paths of the contract",
        arguments: [
            ("/v1/apps/shop/batches", Route.batches(app: "shop")),
            ("/v1/legacy/k-1", .legacy(key: "k-1")),
            ("/", .dashboard), ("/report", .reportIndex),
            ("/report/active", .report(name: "active")),
            ("/report/devices/00ff", .device(hash: "00ff")), ("/livez", .live), ("/readyz", .ready),
            ("/metrics", .metrics), ("/control", .control),
        ])
    func known(path: String, route: Route) {
        #expect(Route(path: Array(path.utf8).span) == route)
    }

    @Test(
        "whatever is like one is none",
        arguments: [
            "", "//", "/.", "/./", "/%2F", "/v1/apps//batches", "/v1/apps/a.b/batches",
            "/v1/apps/shop/batches/",
            "/V1/apps/shop/batches", "/v1/apps/shop", "/v1/legacy", "/v1/legacy/", "/v1/legacy/k/x",
            "/v1/apps/" + String(repeating: "a", count: 33) + "/batches", "/report/",
            "/report/devices/",
            "/livez/", "/v1/apps/sh%6Fp/batches", "/v1/apps/é/batches", "/report/a/b",
        ])
    func unknown(path: String) {
        #expect(Route(path: Array(path.utf8).span) == nil)
    }

    @Test("a listener has only its own routes")
    func sites() {
        #expect(RouteSet.devices.has(.batches(app: "a")) && !RouteSet.devices.has(.reportIndex))
        #expect(RouteSet.dashboard.has(.dashboard) && !RouteSet.dashboard.has(.reportIndex))
        #expect(
            ![RouteSet.devices, .reports, .metrics, .control].contains { $0.has(.dashboard) })
        #expect(!RouteSet.devices.has(.control) && !RouteSet.reports.has(.metrics))
        #expect(
            [RouteSet.devices, .reports, .metrics, .control].allSatisfy {
                $0.has(.ready) && $0.has(.live)
            })
    }
}
