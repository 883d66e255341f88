"""What `key add --for` prints, pasted into an app. For a subclass of Served."""


class Compiled:
    def test_lines_of_aes128gcm_end_in_export(self):
        key = self.added("aes128gcm")
        self.assertIn(key["secret"], key["lines"])
        self.assertEqual(self.run_app("Begin", key["lines"]), "true\n")
        self.assertEqual(self.names(), ["screen.view"])


class Pasted(Compiled):
    def test_lines_of_jwe_end_in_export(self):
        key = self.added("jwe")
        self.assertIn(key["token"], key["lines"])
        self.assertEqual(self.run_app("Begin", key["lines"]), "true\n")
        self.assertEqual(self.names(), ["screen.view"])

    def test_an_app_on_android_tells_its_sessions_and_its_pages(self):
        # The lines but for the client's making, which is Android's own here.
        lines = "\n".join(line for line in self.added("aes128gcm")["lines"].splitlines() if "Sojourn(" not in line)
        told = self.run_app("Life", lines + "\n")
        self.assertEqual(told, "handled true, load false\ntrue\n")
        events = sorted(self.exported(), key=lambda event: event["time"])
        self.assertEqual(
            sorted(event["name"] for event in events),
            ["content.complete", "screen.view", "session.end", "session.start", "webview.event"])
        sessions = {event["attributes"].get("session.id") for event in events if event["name"].startswith("session.")}
        self.assertEqual(len(sessions), 1)

    def test_nothing_that_an_app_hands_in_throws(self):
        self.assertEqual(self.run_app("Hostile", self.added("aes128gcm")["lines"]), "true\n")
        self.assertEqual(self.names(), ["screen.view"])
