"""links.py PROJECT: every relative link of README.md, CHANGELOG.md, CONTRIBUTING.md and docs/ leads to a file that is
there, and to a heading that is there, as forges name them; and the site's navigation names every page of docs/."""

import re
import sys
from pathlib import Path
from urllib.parse import unquote

LINK = re.compile(r"!?\[[^\]\n]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^ *```.*?^ *```", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]*`")


def blanked(text):
    """The same lines without a word in them, so that places stay what they are."""
    return re.sub(r"[^\n]", " ", text.group(0))


def anchors_of(page):
    """What a forge makes of headings: lower case, blanks as hyphens, other signs left out, repeats numbered."""
    anchors = set()
    for line in FENCE.sub(blanked, page.read_text()).splitlines():
        heading = re.match(r"#{1,6} +(.*?) *#*$", line)
        if not heading:
            continue
        words = LINK.sub(lambda link: link.group(0).split("]")[0].strip("!["), heading.group(1))
        anchor = re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")
        number = 0
        while (name := anchor if number == 0 else f"{anchor}-{number}") in anchors:
            number += 1
        anchors.add(name)
    return anchors


def faults_of(page):
    text = FENCE.sub(blanked, page.read_text())
    for number, line in enumerate(CODE.sub(blanked, text).splitlines(), start=1):
        for link in LINK.finditer(line):
            path, _, anchor = unquote(link.group(1)).partition("#")
            if "://" in link.group(1) or path.startswith("mailto:"):
                continue
            target = (page.parent / path) if path else page
            if not target.exists():
                yield number, f"{link.group(1)} is not there"
            elif anchor and target.suffix == ".md" and anchor not in anchors_of(target):
                yield number, f"{link.group(1)}: there is no such heading"


def main(project):
    pages = [project / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")] + sorted(project.glob("docs/**/*.md"))
    faults = [f"{page.relative_to(project)}:{number}: {fault}" for page in pages for number, fault in faults_of(page)]
    navigation = (project / "mkdocs.yml").read_text()
    for page in pages[3:]:
        name = page.relative_to(project / "docs").as_posix()
        if not re.search(rf": {re.escape(name)}$", navigation, re.MULTILINE):
            faults.append(f"mkdocs.yml: docs/{name} is not in the navigation")
    print(*faults, f"{len(pages)} pages, {len(faults)} faults", sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
