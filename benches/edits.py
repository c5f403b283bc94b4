#!/usr/bin/env python3
"""What an edit in an open document costs the language server, from the change to its diagnostics.

    benches/edits.py FOLDER FILE [--edits 20]

Opens FILE of the project in FOLDER with `gpulint server` and types a statement at its end, a new one each time, waiting for the diagnostics of each
version. Prints the median and the worst of the wall time, which has the 0.2 s in it that the server waits for the next key, and of the processor time
of all threads of the server, from /proc (Linux only). GPULINT names the binary and defaults to the release build.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import time

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
GPULINT = os.environ.get("GPULINT", str(REPOSITORY / "target/release/gpulint"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("file")
    parser.add_argument("--edits", type=int, default=20)
    arguments = parser.parse_args()
    folder = arguments.folder.resolve()
    text = (folder / arguments.file).read_text()
    server = Server(folder)
    document = {"uri": (folder / arguments.file).as_uri(), "version": 0}
    started = time.monotonic()
    server.notify("textDocument/didOpen", {"textDocument": {**document, "languageId": "python", "text": text}})
    count = server.diagnostics_of(document)
    opened = time.monotonic() - started
    end = {"line": text.count("\n"), "character": len(text.rsplit("\n", 1)[-1].encode("utf-16-le")) // 2}
    walls, processor = [], []
    for version in range(1, arguments.edits + 1):
        document["version"] = version
        change = {"range": {"start": end, "end": end}, "text": f"\nnumber_{version} = {version}\n"}
        used, started = server.processor_time(), time.monotonic()
        server.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})
        count = server.diagnostics_of(document)
        walls.append(time.monotonic() - started)
        # What is done after the answer counts as well.
        time.sleep(0.3)
        processor.append(server.processor_time() - used)
    memory = server.memory()
    server.end()
    print(f"{arguments.file}: {count} diagnostics, {opened:.2f} s until they were there first, {memory} MB")
    for name, values in [("wall", walls), ("processor", processor)]:
        print(f"{name}: median {statistics.median(values) * 1000:.0f} ms, worst {max(values) * 1000:.0f} ms, of {len(values)} edits")


class Server:
    def __init__(self, folder):
        self.process = subprocess.Popen([GPULINT, "server"], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        folders = [{"uri": folder.as_uri(), "name": folder.name}]
        asked = {"processId": os.getpid(), "rootUri": folder.as_uri(), "workspaceFolders": folders, "capabilities": {}}
        self.send({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": asked})
        while self.receive().get("id") != 1:
            pass
        self.notify("initialized", {})

    def notify(self, method, parameters):
        self.send({"jsonrpc": "2.0", "method": method, "params": parameters})

    def send(self, message):
        body = json.dumps(message).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def receive(self):
        length = None
        while (line := self.process.stdout.readline().strip()) or length is None:
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
            elif not line and self.process.poll() is not None:
                raise SystemExit(f"gpulint server ended with exit code {self.process.returncode}")
        return json.loads(self.process.stdout.read(length))

    def diagnostics_of(self, document):
        """How many there are, once those of this version of the document come."""
        while True:
            message = self.receive()
            told = message.get("params") or {}
            if message.get("method") == "textDocument/publishDiagnostics" and told["uri"] == document["uri"] and told.get("version") == document["version"]:
                return len(told["diagnostics"])

    def processor_time(self):
        """Seconds that all threads have used; none of them ends before the server does."""
        threads = pathlib.Path(f"/proc/{self.process.pid}/task").iterdir()
        return sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads) / 1e9

    def memory(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmHWM:")[1].split()[0]) // 1024

    def end(self):
        self.send({"jsonrpc": "2.0", "id": 2, "method": "shutdown"})
        while self.receive().get("id") != 2:
            pass
        self.notify("exit", {})
        self.process.wait(10)


if __name__ == "__main__":
    main()
