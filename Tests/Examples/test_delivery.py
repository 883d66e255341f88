"""How the clients deliver: past addresses that do not answer, and through proxies that let little through. For a class
that has `adapter`, `proxied`, `exported` and `folder`."""
import random
import string
import time

from adapter import FAST, until
from network import Silent, certificate, hosts_file

HTML = {"Content-Type": "text/html"}


def noise(number):
    """Text that does not compress, so that a body is as large as its events are many."""
    return "".join(random.Random(number).choices(string.ascii_letters, k=100))


class Delivery:
    def silent(self, host, port):
        silent = Silent(host, port)
        self.addCleanup(silent.close)
        return silent

    def named(self, port, *addresses, scheme="http"):
        """The options for a JVM in which stats.test has these addresses, and its URL."""
        return [hosts_file(self.folder, stats_test=addresses)], f"{scheme}://stats.test:{port}"

    def stored(self):
        """The numbers of the events that the server has, each once."""
        numbers = [event["attributes"]["n"] for event in self.exported() if event["name"] == "tap"]
        self.assertEqual(len(set(numbers)), len(numbers), "an event is stored twice")
        return sorted(numbers)

    # Addresses

    def test_an_address_that_does_not_answer_costs_two_seconds(self):
        proxy = self.proxied()
        self.silent("127.0.0.2", proxy.port)
        options, url = self.named(proxy.port, "127.0.0.3", "127.0.0.2", "127.0.0.1")
        client = self.adapter(options, url)
        for number in range(2):
            client.event(number)
            began = time.monotonic()
            self.assertEqual(client.ask("flush 10000"), "done")
            self.assertLess(time.monotonic() - began, 4)
        self.assertEqual(client.status()["failures"], 0)
        self.assertEqual(len(proxy.bodies), 2)

    def test_an_address_that_answers_late_is_used_all_the_same(self):
        proxy = self.proxied()
        first = self.silent("127.0.0.2", proxy.port)
        self.silent("127.0.0.4", proxy.port)
        options, url = self.named(proxy.port, "127.0.0.2", "127.0.0.4")
        client = self.adapter(options, url)
        client.event(1)
        first.open(proxy, 2.5)
        self.assertEqual(client.ask("flush 15000"), "done")
        self.assertEqual(client.status()["failures"], 0)

    def test_the_time_of_an_attempt_ends_while_it_connects(self):
        proxy = self.proxied()
        silent = [self.silent(host, proxy.port) for host in ("127.0.0.2", "127.0.0.4")]
        options, url = self.named(proxy.port, "127.0.0.2", "127.0.0.4")
        client = self.adapter(options, url, **FAST)
        client.event(1)
        for budget in (700, 2700):
            began = time.monotonic()
            self.assertEqual(client.ask(f"flush {budget}"), "waiting")
            self.assertLess(time.monotonic() - began, budget / 1000 + 1)
        silent[1].open(proxy)
        self.assertEqual(client.ask("flush 10000"), "done")

    def test_the_first_address_is_enough(self):
        proxy = self.proxied()
        others = self.proxied(host="127.0.0.2", port=proxy.port)
        others.handle = lambda connection: others.bodies.append(b"")
        options, url = self.named(proxy.port, "127.0.0.1", "127.0.0.2")
        client = self.adapter(options, url)
        for number in range(5):
            client.event(number)
            self.assertEqual(client.ask("flush 5000"), "done")
        self.assertEqual(others.bodies, [])

    def test_a_certificate_is_for_the_name_and_not_for_an_address(self):
        context, trust = certificate(self.folder, "stats.test")
        proxy = self.proxied(context=context)
        self.silent("127.0.0.2", proxy.port)
        options, url = self.named(proxy.port, "127.0.0.2", "127.0.0.1", scheme="https")
        client = self.adapter(options + trust, url)
        client.event(1)
        self.assertEqual(client.ask("flush 10000"), "done")
        client.kill()
        other = hosts_file(self.folder, other_test=["127.0.0.1"])
        client = self.adapter([other] + trust, f"https://other.test:{proxy.port}")
        client.event(2)
        self.assertEqual(client.ask("flush 2000"), "waiting")
        self.assertIn("SSLHandshakeException", client.said())
        self.assertEqual(self.stored(), [1])

    # Proxies

    def test_what_a_proxy_finds_too_large_goes_in_parts(self):
        proxy = self.proxied()
        proxy.plan = lambda body: (413, HTML, b"<h1>Too large</h1>") if len(body) > 1500 else None
        client = self.adapter(proxy=proxy)
        for number in range(40):
            client.event(number, text=noise(number))
        self.assertEqual(client.ask("flush 10000"), "done")
        status = client.status()
        self.assertEqual((status["accepted"], status["failures"]), (40, 0))
        self.assertEqual(self.stored(), list(range(40)))
        self.assertIn("status 413 without a code: a proxy on the way lets too little through", client.said())

    def test_a_single_event_is_never_dropped_for_a_proxy(self):
        proxy = self.proxied()
        proxy.plan = lambda body: (413, {"Content-Type": "application/json"}, b'{"code":"body-too-large"}')
        client = self.adapter(proxy=proxy, **FAST)
        client.event(1)
        self.assertEqual(client.ask("flush 1500"), "waiting")
        self.assertGreater(len(proxy.bodies), 5)
        self.assertEqual(client.status()["waiting"], 1)
        proxy.plan = lambda body: None
        self.assertEqual(client.ask("flush 5000"), "done")
        self.assertEqual(client.status()["accepted"], 1)

    def test_what_may_be_stored_is_split_by_the_third_answer_in_a_row(self):
        proxy = self.proxied()
        refused, busy = (413, HTML, b""), (503, HTML, b"")
        plans = ["lose", refused, refused, busy, refused, refused, "stall"]
        proxy.plan = lambda body: plans[len(proxy.bodies) - 1] if len(proxy.bodies) <= len(plans) else (
            refused if len(body) > 2500 else None)
        client = self.adapter(proxy=proxy, **FAST)
        for number in range(30):
            client.event(number, text=noise(number))
        client.tell("flush 20000")
        until(lambda: len(proxy.bodies) == len(plans))
        client.kill()
        client = self.adapter(proxy=proxy, **FAST)
        self.assertEqual(client.ask("flush 10000"), "done")
        large = [len(body) > 2500 for body in proxy.bodies]
        # One more of the whole, the third in a row that is answered so, and then the parts.
        self.assertEqual(large, [True] * 8 + [False] * (len(large) - 8))
        self.assertEqual(client.status()["accepted"], 30)

    def test_a_redirect_is_told_without_what_is_secret(self):
        shown = {
            "https://anna:pass@elsewhere.test:8443/a/b?token=hidden#more": "https://elsewhere.test:8443/a/b\u2026",
            "/login;session=hidden": "/login\u2026",
            "//anna:pass@elsewhere.test": "//elsewhere.test",
            "http://an@na:pass@elsewhere.test/": "http://elsewhere.test/",
            "http://anna:pass@?hidden": "what is no address",
            "anna:pass": "what is no address",
            "https://elsewhere.test/" + "a" * 5000: "https://elsewhere.test/" + "a" * 97 + "\u2026",
        }
        proxy = self.proxied()
        client = self.adapter(["-Dfile.encoding=UTF-8"], proxy=proxy, **FAST)
        client.event(1)
        for location, target in shown.items():
            proxy.plan = lambda body, location=location: (302, {"Location": location}, b"")
            line = f"status 302, a redirect to {target}, which is not followed\n"
            until(lambda line=line: client.ask("flush 300") and line in client.said())
        for secret in ("anna", "pass", "hidden", "a" * 98):
            self.assertNotIn(secret, client.said())

    # A start that fails

    def test_closures_come_after_a_failed_start(self):
        with open(self.secret, "w", encoding="utf-8") as file:
            file.write("00" * 16)
        client = self.adapter()
        self.assertIn("cannot start", client.said())
        self.assertEqual(client.ask("content completed a"), "ok again")
        self.assertEqual(client.status()["appended"], 0)
        self.assertEqual(client.ask("flush 5000"), "waiting")

    def test_closures_come_where_the_folder_is_another_process_s(self):
        self.adapter()
        client = self.adapter(answer="error busy")
        self.assertEqual(client.ask("content completed a"), "ok again")
        self.assertEqual(client.status()["appended"], 0)
