"""What mkdocs does not do by itself: brings in the pages that lie beside docs/, so that links which are right in the
repository are right in the site as well, and the API that Doxygen wrote."""

import posixpath
import re
from pathlib import Path

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[2]
API = ROOT / "out/doxygen/html"
PAGES = {"README.md": "index.md", "CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md"}
LINK = re.compile(r"\[([^\]\n]*)\]\(([^)\s]+)\)")
FENCE = re.compile(r"^( *```.*?^ *```)", re.MULTILINE | re.DOTALL)


def on_files(files, config):
    for source, page in PAGES.items():
        files.append(File.generated(config, page, content=(ROOT / source).read_text()))
    for path in sorted(API.rglob("*")):
        if path.is_file():
            name = "api/" + path.relative_to(API).as_posix()
            files.append(File.generated(config, name, abs_src_path=str(path)))
    return files


def on_page_markdown(markdown, page, config, files):
    place = {page_name: source for source, page_name in PAGES.items()}.get(page.file.src_uri, "docs/" + page.file.src_uri)

    def in_the_site(link):
        text, target = link.groups()
        path, sign, anchor = target.partition("#")
        found = posixpath.normpath(posixpath.join(posixpath.dirname(place), path))
        if not path or "://" in target or not (ROOT / found).exists():  # mkdocs warns of it
            return link.group(0)
        name = site_name(found, config, files)
        if name is None:  # a folder of the repository
            return text
        return f"[{text}]({posixpath.relpath(name, posixpath.dirname(page.file.src_uri) or '.')}{sign}{anchor})"

    parts = FENCE.split(markdown)
    parts[::2] = [LINK.sub(in_the_site, part) for part in parts[::2]]
    return "".join(parts)


def site_name(found, config, files):
    """Where a file of the repository is in the site; sources are copied into it."""
    if found in PAGES:
        return PAGES[found]
    if found.startswith("docs/"):
        return found.removeprefix("docs/")
    if (ROOT / found).is_dir():
        return None
    name = f"source/{found}.txt"
    if files.get_file_from_path(name) is None:
        files.append(File.generated(config, name, content=(ROOT / found).read_text()))
    return name
