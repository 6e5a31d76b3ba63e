"""bench/fetch_suitesparse against a local server that cuts connections, answers errors and changes files."""

import gzip
import hashlib
import http.server
import io
import os
import subprocess
import sys
import tarfile
import tempfile
import threading
import unittest

PROGRAM = sys.argv.pop(1)


def matrix_text(rows, entries, symmetric):
    """So many entries of a matrix, in one triangle if it is symmetric."""
    lines = [f"%%MatrixMarket matrix coordinate real {'symmetric' if symmetric else 'general'}", "% made for a test",
             f"{rows} {rows} {entries}"]
    for k in range(entries):
        row, column = (k % rows, (k % rows + k // rows) % rows)
        if symmetric:
            row, column = max(row, column), min(row, column)
        lines.append(f"{row + 1} {column + 1} {k + 1}.5")
    return "\n".join(lines) + "\n"


def archive_of(name, text):
    data, buffer = text.encode(), io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        for member, content in ((f"{name}/{name}.mtx", data), (f"{name}/{name}_b.mtx", os.urandom(20000))):
            info = tarfile.TarInfo(member)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


class Server(http.server.ThreadingHTTPServer):
    """Files by path; cut: bytes after which every connection ends; ranges: whether it knows Range; seen: what was asked."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.files, self.cut, self.ranges, self.seen = {}, None, True, []
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()

    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        server, asked = self.server, self.headers.get("Range")
        server.seen.append((self.path, asked))
        data = server.files.get(self.path)
        if data is None:
            self.send_error(404)
            return
        begin = int(asked[len("bytes="):-1]) if asked and server.ranges else 0
        if begin >= len(data) and begin > 0:
            self.send_response(416)
            self.send_header("Content-Range", f"bytes */{len(data)}")
            self.end_headers()
            return
        self.send_response(206 if begin > 0 else 200)
        if begin > 0:
            self.send_header("Content-Range", f"bytes {begin}-{len(data) - 1}/{len(data)}")
        self.send_header("Content-Length", str(len(data) - begin))
        self.end_headers()
        rest = data[begin:]
        self.wfile.write(rest if server.cut is None else rest[:server.cut])


class FetchSuiteSparse(unittest.TestCase):
    def setUp(self):
        self.server = Server()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.cage4 = matrix_text(9, 49, False)
        self.put("vanHeukelum/cage4", self.cage4)

    def put(self, name, text):
        group, matrix = name.split("/")
        self.server.files[f"/MM/{group}/{matrix}.tar.gz"] = archive_of(matrix, text)

    def fetch(self, names="cage4", *words):
        return subprocess.run([sys.executable, PROGRAM, "--to", self.folder, "--names", names, "--mirror", self.server.url(),
                               "--attempts", "2", "--pause", "0", *words], capture_output=True, text=True, timeout=60, check=False)

    def path(self, name):
        return os.path.join(self.folder, name)

    def assert_fetched(self, done, name="cage4", text=None):
        self.assertEqual(done.returncode, 0, done.stderr)
        with gzip.open(self.path(name + ".mtx.gz"), "rt") as file:
            self.assertEqual(file.read(), text or self.cage4)

    def assert_refused(self, done, why):
        self.assertEqual(done.returncode, 1)
        self.assertIn(why, done.stderr)
        self.assertFalse(os.path.exists(self.path("cage4.mtx.gz")))

    def test_brings_the_matrix_and_its_checksum(self):
        self.assert_fetched(self.fetch())
        with open(self.path("archives/cage4.tar.gz.sha256"), encoding="ascii") as file:
            checksum = file.read().split()[0]
        archive = self.server.files["/MM/vanHeukelum/cage4.tar.gz"]
        self.assertEqual(checksum, hashlib.sha256(archive).hexdigest())

    def test_goes_on_where_the_connection_was_cut(self):
        self.server.cut = 5000
        self.assert_fetched(self.fetch())
        self.assertGreater(len(self.server.seen), 3)
        self.assertIn(("/MM/vanHeukelum/cage4.tar.gz", "bytes=5000-"), self.server.seen)

    def test_goes_on_with_what_an_earlier_run_left(self):
        archive = self.server.files["/MM/vanHeukelum/cage4.tar.gz"]
        os.makedirs(self.path("archives"))
        with open(self.path("archives/cage4.tar.gz.part"), "wb") as file:
            file.write(archive[:7000])
        self.assert_fetched(self.fetch())
        self.assertEqual(self.server.seen, [("/MM/vanHeukelum/cage4.tar.gz", "bytes=7000-")])

    def test_all_was_there_but_its_end_was_not_seen(self):
        os.makedirs(self.path("archives"))
        with open(self.path("archives/cage4.tar.gz.part"), "wb") as file:
            file.write(self.server.files["/MM/vanHeukelum/cage4.tar.gz"])
        self.assert_fetched(self.fetch())

    def test_a_server_without_ranges_sends_all(self):
        self.server.ranges = False
        os.makedirs(self.path("archives"))
        with open(self.path("archives/cage4.tar.gz.part"), "wb") as file:
            file.write(b"of another attempt")
        self.assert_fetched(self.fetch())

    def test_gives_up_where_nothing_more_comes(self):
        self.server.cut = 0
        self.assert_refused(self.fetch(), "the same command goes on")

    def test_does_not_fetch_again_what_is_there(self):
        self.fetch()
        self.server.seen.clear()
        done = self.fetch()
        self.assert_fetched(done)
        self.assertIn("is there", done.stdout)
        self.assertEqual(self.server.seen, [])

    def test_fetches_again_what_was_changed_here(self):
        self.fetch()
        with open(self.path("archives/cage4.tar.gz"), "ab") as file:
            file.write(b"x")
        self.server.seen.clear()
        self.assert_fetched(self.fetch())
        self.assertEqual(len(self.server.seen), 1)

    def test_tells_where_the_server_has_another_file(self):
        self.fetch()
        os.remove(self.path("archives/cage4.tar.gz"))
        self.put("vanHeukelum/cage4", self.cage4.replace("made for", "changed since"))
        done = self.fetch()
        self.assertEqual(done.returncode, 1)
        self.assertIn("not the file of the first download", done.stderr)

    def test_refuses_a_damaged_archive(self):
        archive = bytearray(self.server.files["/MM/vanHeukelum/cage4.tar.gz"])
        archive[len(archive) // 2] ^= 0xFF
        self.server.files["/MM/vanHeukelum/cage4.tar.gz"] = bytes(archive)
        self.assert_refused(self.fetch(), "damaged")
        self.assertFalse(os.path.exists(self.path("archives/cage4.tar.gz.part")))

    def test_refuses_another_matrix(self):
        self.put("vanHeukelum/cage4", matrix_text(10, 49, False))
        self.assert_refused(self.fetch(), "expected 9 x 9")
        self.put("vanHeukelum/cage4", matrix_text(9, 48, False))
        self.assert_refused(self.fetch(), "48 entries, expected 49 to 49; --any-size takes it")
        self.assert_fetched(self.fetch("cage4", "--any-size"), text=matrix_text(9, 48, False))

    def test_knows_half_of_a_symmetric_matrix(self):
        text = matrix_text(10974, 219812, True)
        self.put("HB/bcsstk17", text)
        self.assert_fetched(self.fetch("bcsstk17"), "bcsstk17", text)

    def test_names_the_address_of_what_is_not_there(self):
        self.server.files.clear()
        self.assert_refused(self.fetch(), "MM/vanHeukelum/cage4.tar.gz: 404")

    def test_names_the_matrices_that_there_are(self):
        self.assert_refused(self.fetch("cage5"), "there is no cage5; there are: cage4, mhda416")


if __name__ == "__main__":
    unittest.main()
