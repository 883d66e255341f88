"""Where gridlines lie."""
import math

from fixture.modules import ModuleCase

GREATEST = [0, 0.2, 1, 2, 3, 4, 5, 7, 8, 9, 11, 19, 20, 21, 39, 40, 41, 99, 100, 101, 399, 401, 12345, 999999, 40000001,
            9007199254740991]
# Steps that people read at a clock.
CLOCK = [1, 2, 5, 10, 15, 30, 60, 120, 180, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400]


class TickTests(ModuleCase):
    def check(self, greatest, ticks, is_round):
        words = f"{greatest}: {ticks}"
        step = ticks[1]
        self.assertEqual(ticks, [step * place for place in range(len(ticks))], words)
        self.assertIn(len(ticks) - 1, [1, 2, 3, 4], words)
        self.assertGreaterEqual(ticks[-1], greatest, words)
        self.assertLess(ticks[-2], max(greatest, 1e-9), words)
        self.assertTrue(is_round(step), words)

    def test_counts(self):
        def is_round(step):
            return step / 10 ** math.floor(math.log10(step) + 1e-9) in [1, 2, 5]
        for greatest, ticks in zip(GREATEST, self.call("scale.js", "countTicks", [[one] for one in GREATEST])):
            self.check(greatest, ticks, is_round) if greatest else self.assertEqual(ticks, [0, 1])

    def test_times(self):
        def is_round(step):
            return step in CLOCK or step % 86400 == 0
        for greatest, ticks in zip(GREATEST, self.call("scale.js", "durationTicks", [[one] for one in GREATEST])):
            self.check(greatest, ticks, is_round) if greatest else self.assertEqual(ticks, [0, 1])

    def test_places_of_rows(self):
        for length, is_banded in [(1, True), (1, False), (2, False), (28, True), (28, False)]:
            found = self.blank.run(f"""import('/scale.js').then(({{ horizontalScale }}) => {{
              const scale = horizontalScale({length}, 40, 640, {str(is_banded).lower()});
              const all = Array.from({{ length: {length} }}, (_, index) => index);
              return [all.map(scale.at), all.map((index) => scale.indexAt(scale.at(index))), scale.indexAt(-50), scale.indexAt(9999)];
            }})""")
            places = list(range(length))
            self.assertEqual(found[1:], [places, 0, length - 1])
            self.assertEqual(found[0], sorted(set(found[0])))
            self.assertTrue(all(40 <= x <= 640 for x in found[0]))
