"""Who posts what it should, and how long each of its posts took."""

import time

from .wire import answer, batch, connect, head


class Posts:
    """Seconds of each post, and how many were not answered 200."""

    def __init__(self, times=(), wrong=0):
        self.times, self.wrong = sorted(times), wrong

    def __add__(self, more):
        return Posts(self.times + more.times, self.wrong + more.wrong)

    def milliseconds(self, share):
        """The quantile by nearest rank; 1 is the longest."""
        if not self.times:
            return float("nan")
        return self.times[min(len(self.times) - 1, int(len(self.times) * share))] * 1000


def post(port, token, app, results, stops, events=20, pause=0.0):
    """Until `stops` is set, or says a moment that is over. A connection that ends is one wrong answer."""
    connection, number, times, wrong = connect(port, timeout=60), 0, [], 0
    while not stops():
        body = batch(number, events)
        number += 1
        begun = time.perf_counter()
        try:
            connection.sendall(head(token, len(body), app=app) + body)
            wrong += answer(connection) != 200
        except OSError:
            wrong += 1
            connection.close()
            connection = connect(port, timeout=60)
        times.append(time.perf_counter() - begun)
        if pause:
            time.sleep(pause)
    results.put((times, wrong))
