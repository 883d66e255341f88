"""What a view asks, and the lines for a shell."""
import json
import random
import subprocess
from urllib.parse import parse_qsl, urlsplit

from contract.periods import period_of
from contract.questions import asked_for, questions_of
from fixture.modules import ModuleCase
from fixture.views import TEXTS, random_view
from test_period import RANGES, TODAYS

_ASK = """import('/questions.js').then(({ questionsOf, curlLine }) => import('/period.js').then(({ periodOf }) =>
  import('/view.js').then(({ emptyView }) => %s.map(([view, today]) => {
    const whole = { ...emptyView(), ...view };
    const { ever, ...questions } = questionsOf(whole, periodOf(whole.range, today));
    return Object.values(questions).map((one) => [one.path, curlLine(one, "http://host:1/it's$(x)/")]);
  }))))"""


class QuestionTests(ModuleCase):
    def ask(self, cases):
        return self.blank.run(_ASK % json.dumps(cases))

    def cases(self):
        chance = random.Random(11)
        for text in RANGES:
            yield {**random_view(chance), "app": "shop", "range": text}, chance.choice(TODAYS)
            yield {"app": "shop", "range": text}, chance.choice(TODAYS)

    def test_each_view_asks_what_the_table_says(self):
        cases = list(self.cases())
        for (view, today), found in zip(cases, self.ask(cases), strict=True):
            expected = asked_for(questions_of(view, period_of(view["range"], today)))
            asked = [(urlsplit(path).path.removeprefix("report/"),
                      tuple(sorted(parse_qsl(urlsplit(path).query, keep_blank_values=True)))) for path, _ in found]
            self.assertEqual(sorted(asked), expected, f"{view} on {today}")
            self.assertLessEqual(len(asked), 18)

    def test_a_shell_takes_the_lines_as_they_are(self):
        filters = [("os.name", text) for text in [*TEXTS, "it's $(touch /tmp/x) `x`", "a\\'b", "${IFS}", "!!"]]
        (found,) = self.ask([[{"app": "shop", "filters": filters, "steps": ["a'b", "$(x):y=`z`"]}, "2026-11-23"]])
        script = "curl() { printf '%s\\0' \"$@\"; }\n" + "\n".join(line for _, line in found)
        for shell in ["bash", "sh"]:
            done = subprocess.run([shell, "-c", script], capture_output=True, text=True, timeout=20,
                                  env={"SOJOURN_TOKEN": "sj_secret"})
            self.assertEqual(done.stderr, "")
            expected = [part for path, _ in found
                        for part in ["-H", "Authorization: Bearer sj_secret", "http://host:1/it%27s$(x)/" + path]]
            self.assertEqual(done.stdout.split("\0")[:-1], expected)
