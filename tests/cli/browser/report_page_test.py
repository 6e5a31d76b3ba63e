"""Opens pages of `stiefel solve --report` and `stiefel eigen --report` in a real browser.

    report_page_test.py PROGRAM FOLDER     FOLDER: where pages, screenshots and prints are left to be looked at

Exits with 77, which ctest calls skipped, where there is no Chromium.
"""

import json
import os
import subprocess
import sys

import chromium

SKIPPED = 77

# What is wrong with the page as it is laid out: a list of sentences.
LAYOUT = r"""
(() => {
  const wrong = [], width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > width) wrong.push(`the page is ${document.documentElement.scrollWidth} wide`);
  const scrolls = e => e.closest('.scroll') !== null;
  for (const e of document.body.querySelectorAll('*')) {
    const box = e.getBoundingClientRect();
    if (box.right > width + 1 && !scrolls(e)) wrong.push(`<${e.tagName} class=${e.className}> reaches to ${box.right} of ${width}`);
  }
  for (const svg of document.querySelectorAll('svg')) {
    const frame = svg.getBoundingClientRect(), name = svg.querySelector('title').textContent;
    const texts = [...svg.querySelectorAll('text')].map(t => [t.textContent, t.getBoundingClientRect()]);
    texts.forEach(([a, box], i) => {
      if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1 || box.bottom > frame.bottom + 1)
        wrong.push(`${name}: '${a}' is cut off`);
      if (box.height < 8) wrong.push(`${name}: '${a}' is but ${box.height} high`);
      for (const [b, other] of texts.slice(i + 1)) {
        const across = Math.min(box.right, other.right) - Math.max(box.left, other.left);
        const down = Math.min(box.bottom, other.bottom) - Math.max(box.top, other.top);
        if (across > 1 && down > 4) wrong.push(`${name}: '${a}' lies over '${b}'`);
      }
    });
  }
  return wrong;
})()
"""

# Drawings without a title and a description of their own.
WITHOUT_WORDS = """
[...document.querySelectorAll('svg')].filter(s => s.getAttribute('role') !== 'img' ||
  !document.getElementById(s.getAttribute('aria-labelledby'))?.textContent ||
  !document.getElementById(s.getAttribute('aria-describedby'))?.textContent).length
"""

VERDICT = "document.querySelector('#verdict .outcome').textContent"
BRIGHTNESS = "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).reduce((a, b) => a + +b, 0) / 3"


class Reports:
    """Runs the program in a folder, each time for another page."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        os.makedirs(folder, exist_ok=True)
        for kind, name in (("poisson2d 60", "grid.mtx"), ("poisson1d 40", "line.mtx")):
            self.run("generate", *kind.split(), "-o", name)

    def run(self, *words):
        environment = dict(os.environ, OMP_WAIT_POLICY="passive")
        return subprocess.run([self.program, *words], cwd=self.folder, env=environment, capture_output=True, text=True)

    def make(self, name, code, *words):
        """The page's path and the report for programs."""
        run = self.run(*words, "--report", name + ".html", "--json", name + ".json")
        assert run.returncode == code, f"{words}: exit code {run.returncode}\n{run.stderr}"
        with open(os.path.join(self.folder, name + ".json"), encoding="utf-8") as file:
            return os.path.join(self.folder, name + ".html"), json.load(file)


def check(page, path, report, said, shots):
    """Looks at a page on a light phone, on a dark desk and on paper; said: what the verdict has in it."""
    address = "file://" + os.path.abspath(path).replace("%", "%25").replace("#", "%23").replace("?", "%3F")
    for width, scheme in ((390, "light"), (1200, "dark")):
        page.loaded.clear()
        page.open(address, width, scheme)
        where = f"{path} at {width} pixels, {scheme}"
        verdict = page.evaluate(VERDICT)
        assert said in verdict, f"{where}: the verdict is '{verdict}', not '{said}'"
        assert not (wrong := page.evaluate(LAYOUT)), f"{where}:\n  " + "\n  ".join(wrong)
        assert page.evaluate(WITHOUT_WORDS) == 0, f"{where}: a drawing has no words"
        brightness = page.evaluate(BRIGHTNESS)
        assert (brightness > 200) == (scheme == "light"), f"{where}: the paper's brightness is {brightness}"
        embedded = json.loads(page.evaluate("document.getElementById('report').textContent"))
        for part in ("matrix", "method", "result", "kernels"):
            assert embedded[part] == report[part], f"{where}: the JSON in the page is not that of --json"
        assert len(page.loaded) == 1, f"{where}: loads {page.loaded}"
        assert not page.complaints, f"{where}: {page.complaints}"
        page.screenshot(os.path.join(shots, f"{os.path.basename(path)[:-5]}-{width}-{scheme}.png"))
    page.open(address, 1000, "dark", "print")
    assert page.evaluate(BRIGHTNESS) > 200, f"{path}: paper is not white"
    page.print_to(os.path.join(shots, os.path.basename(path)[:-5] + ".pdf"))
    assert os.path.getsize(path) < 300_000, f"{path} has {os.path.getsize(path)} bytes"


def main():
    browser = chromium.find()
    if not browser:
        print("skipped: there is no Chromium ('scripts/dependencies --browser' installs it; $CHROMIUM names another)")
        return SKIPPED
    program, folder = sys.argv[1:]
    reports = Reports(os.path.abspath(program), folder)
    # A path that would end the element that the JSON stands in, were it written there as it is.
    os.makedirs(os.path.join(folder, "a<"), exist_ok=True)
    reports.run("generate", "poisson2d", "20", "-o", "a</script><!--.mtx")
    with chromium.Page(browser) as page:
        for name, code, said, *words in (
                ("converged", 0, "converged in", "solve", "grid.mtx", "--rhs", "random"),
                ("used-up", 3, "are used up", "solve", "grid.mtx", "--preconditioner", "none", "--max-iterations", "5"),
                ("rounding", 3, "as far as double precision can", "solve", "grid.mtx", "--rhs", "random",
                 "--rtol", "1e-30"),
                ("stopped", 3, "the time allowed was up", "solve", "grid.mtx", "--time-limit", "0"),
                ("columns", 0, "all 4 columns converged", "solve", "grid.mtx", "--rhs", "random:4", "--solver", "both"),
                ("multigrid", 0, "converged in", "solve", "grid.mtx", "--preconditioner", "amg"),
                ("quoted", 0, "converged in", "solve", "a</script><!--.mtx"),
                ("pairs", 0, "3 pairs converged in", "eigen", "grid.mtx", "--count", "3", "--rtol", "1e-5"),
                ("dense", 0, "found by a dense method", "eigen", "line.mtx", "--count", "2")):
            path, report = reports.make(name, code, *words)
            check(page, path, report, said, folder)
            print(f"{name}: {page.evaluate(VERDICT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
