"""Out of folders with damage what is whole is delivered. For a class that has `adapter`, `proxied`, `exported`,
`folder` and `journal`."""
import os
import shutil

from adapter import SHORT, until

KINDS = ("gone", "a folder", "a full folder", "first byte", "middle byte", "last byte")


class Damage:
    def test_a_wait_takes_nothing_of_the_time_that_a_start_has(self):
        proxy = self.proxied()
        proxy.plan = lambda body: "lose"
        more = {**SHORT, "CLIENT_BACKOFF_MS": "4000", "CLIENT_BACKOFF_CAP_MS": "4000"}
        client = self.adapter(proxy=proxy, **more)
        client.event(1)
        self.assertEqual(client.ask("flush 1500"), "waiting")
        client.kill()
        proxy.plan = lambda body: None
        client = self.adapter(proxy=proxy, **more)
        self.assertGreater(client.status()["next"], 800)
        until(lambda: client.status()["accepted"] == 1, 6)

    def test_no_damaged_file_keeps_what_is_whole_from_its_way(self):
        """A batch is in doubt: the server has it, and the client does not know."""
        proxy = self.proxied()
        proxy.plan = lambda body: "lose"
        client = self.adapter(proxy=proxy, **SHORT)
        for number in range(5):
            client.event(number)
        self.assertEqual(client.ask("flush 400"), "waiting")
        client.event(5)
        self.assertEqual(client.status()["failures"], 1)
        client.kill()
        proxy.plan = lambda body: None
        names = sorted(os.listdir(self.journal))
        self.assertEqual(len(names), 4, names)
        for name in names:
            for kind in KINDS:
                with self.subTest(file=name, damage=kind):
                    self.deliver_damaged(proxy, name, kind, is_batch=name == names[0])
        # The batch is one in all copies; what waited behind it is another one in each.
        numbers = [event["attributes"].get("n") for event in self.exported() if event["name"] == "tap"]
        self.assertEqual(sorted(number for number in numbers if number != 5), [0, 1, 2, 3, 4])

    def deliver_damaged(self, proxy, name, kind, is_batch):
        folder = os.path.join(self.folder, f"{name} {kind}".replace(" ", "-"))
        shutil.copytree(self.journal, folder)
        path = os.path.join(folder, name)
        if not damage(path, kind):
            return
        client = self.adapter(proxy=proxy, folder=folder, **SHORT)
        try:
            status = client.status()
            if is_batch:
                # The wait was the batch's: with it, it is over.
                self.assertEqual((status["failures"], status["next"]), (0, 0))
            self.assertEqual(client.ask("flush 6000"), "done")
            status = client.status()
            self.assertEqual((status["waiting"], status["failures"], status["rejected"]), (0, 0, 0))
            self.assertLessEqual(status["appended"], 6)
        finally:
            client.kill()


def damage(path, kind):
    """Does it to a file; false where it has no bytes to be changed."""
    with open(path, "rb") as file:
        content = bytearray(file.read())
    if kind.endswith("byte"):
        if not content:
            return False
        content[{"first byte": 0, "middle byte": len(content) // 2, "last byte": -1}[kind]] ^= 1
        with open(path, "wb") as file:
            file.write(content)
        return True
    os.remove(path)
    if kind != "gone":
        os.mkdir(path)
    if kind == "a full folder":
        with open(os.path.join(path, "something"), "wb") as file:
            file.write(b"else")
    return True
