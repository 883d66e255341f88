"""What stands between a client and the server: a proxy that answers for it or loses what it says, and addresses that
are silent. For tests on one machine: all of it is on 127.0.0.0/8, and needs Linux."""
import http.client
import os
import socket
import ssl
import struct
import subprocess
import threading
import time


class Proxy:
    """Passes requests on to the server, unless `plan(body)` is an answer (status, fields, text), "lose" (the server has
    the batch, and nobody hears of it) or "stall" (nobody hears anything). Bodies are kept in their order."""

    def __init__(self, server, host="127.0.0.1", port=0, context=None):
        self.server, self.context = server, context
        self.plan = lambda body: None
        self.bodies = []
        self.listener = socket.create_server((host, port), backlog=64)
        self.port = self.listener.getsockname()[1]
        self.serve(self.listener)

    def serve(self, listener):
        """Takes what comes there, too."""
        def accept():
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                threading.Thread(target=self.handle, args=(connection,), daemon=True).start()
        threading.Thread(target=accept, daemon=True).start()

    def handle(self, connection):
        connection.settimeout(30)
        try:
            if self.context:
                connection = self.context.wrap_socket(connection, server_side=True)
            self.answer(connection)
        except (OSError, ValueError):
            pass
        finally:
            connection.close()

    def answer(self, connection):
        stream = connection.makefile("rb")
        opening = stream.readline().split()
        if not opening:
            return
        fields = http.client.parse_headers(stream)
        body = stream.read(int(fields["Content-Length"]))
        self.bodies.append(body)
        planned = self.plan(body)
        if planned == "stall":
            time.sleep(30)
            return
        if planned is None or planned == "lose":
            named = {name: fields[name] for name in ("Content-Type", "Content-Encoding", "Authorization") if fields[name]}
            status, given, text = self.server.request("POST", opening[1].decode(), body, named)
            if planned == "lose":
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                return
            planned = status, {"Content-Type": given["content-type"]}, text
        status, given, text = planned
        lines = [f"HTTP/1.1 {status} -", *(f"{name}: {value}" for name, value in given.items()),
                 f"Content-Length: {len(text)}", "Connection: close", "", ""]
        connection.sendall("\r\n".join(lines).encode() + text)

    def close(self):
        self.listener.close()


class Silent:
    """An address where nobody answers: whoever listens has no room left, as where packets are dropped."""

    def __init__(self, host, port):
        self.listener = socket.create_server((host, port), backlog=0)
        self.full = [socket.socket() for _ in range(4)]
        for one in self.full:
            one.setblocking(False)
            one.connect_ex((host, port))

    def open(self, proxy, seconds=0):
        """From then on a proxy takes what comes here; who knocks already does so again after 1 s and 3 s."""
        def later():
            time.sleep(seconds)
            for one in self.full:
                one.close()
            proxy.serve(self.listener)
        threading.Thread(target=later, daemon=True).start()

    def close(self):
        for one in [self.listener, *self.full]:
            one.close()


def hosts_file(folder, **names):
    """What makes a JVM find these addresses under these names, a file in the folder: `stats_test=["127.0.0.1"]`."""
    path = os.path.join(folder, "hosts")
    with open(path, "w", encoding="utf-8") as file:
        for name, addresses in names.items():
            file.writelines(f"{address} {name.replace('_', '.')}\n" for address in addresses)
    return f"-Djdk.net.hosts.file={path}"


def certificate(folder, name):
    """A server's side of TLS for a name, and what makes a JVM trust its certificate."""
    key, shown, store = (os.path.join(folder, file) for file in ("key.pem", "shown.pem", "trusted"))
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days",
                    "2", "-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}", "-keyout", key, "-out", shown],
                   check=True, capture_output=True)
    subprocess.run(["keytool", "-importcert", "-noprompt", "-alias", "it", "-file", shown, "-keystore", store,
                    "-storepass", "changeit"], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(shown, key)
    return context, [f"-Djavax.net.ssl.trustStore={store}", "-Djavax.net.ssl.trustStorePassword=changeit"]
