"""bench/published: the page has the tables that its files give, and what is published names cases as suites do."""

import json
import os
import re
import unittest

from project import ROOT, program

FOLDER = os.path.join(ROOT, "docs", "performance")


def text_of(name):
    with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
        return file.read()


class Page(unittest.TestCase):
    def test_has_the_tables_that_its_files_give(self):
        self.assertEqual(program("published", "--check"), (0, "", ""))

    def test_shows_every_table(self):
        code, output, _ = program("published")
        names = re.findall(r"^([a-z-]+)\n\n\|", output, re.MULTILINE)
        self.assertEqual(code, 0)
        self.assertGreater(len(names), 5)
        self.assertEqual(sorted(names), sorted(re.findall(r"<!-- bench/published ([\w-]+) -->", text_of("published.md"))))

    def test_names_every_project_of_the_tables(self):
        content = json.loads(text_of("published.json"))
        page = text_of("published.md")
        for table in content["tables"]:
            for project in table["project"].split(", "):
                entry = content["projects"][project]
                self.assertIn(f"| {project} | [{entry['repository'].removeprefix('https://github.com/')}]({entry['repository']})", page)
                self.assertIn(entry["commit"], page)

    def test_files_of_a_machine_without_a_device_give_tables_too(self):
        code, output, said = program("published", "--suites", os.path.join(FOLDER, "suites"))
        self.assertEqual((code, said), (0, ""))
        self.assertIn("| rdist2 | 59.5 |", output)

    def test_says_which_file_is_missing(self):
        code, _, said = program("published", "--suites", FOLDER)
        self.assertEqual(code, 2)
        self.assertIn("cannot be read", said)


if __name__ == "__main__":
    unittest.main()
