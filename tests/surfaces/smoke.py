"""An installed wheel in a clean environment: does what the README shows work, start to end?

Run it with the Python of that environment, from any folder; it needs nothing but the wheel. It
prints what it did, and ends with 1 at the first thing that does not hold.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

SCRIPT = Path(sys.executable).with_name("harkback.exe" if os.name == "nt" else "harkback")
KEY = "gh" + "p_" + "Smoke0Test9" * 3 + "abc"


def check(holds: bool, what: str) -> None:
    print(f"{'ok  ' if holds else 'FAIL'}  {what}", flush=True)
    if not holds:
        sys.exit(1)


def command(*arguments: object, code: int) -> str:
    """Runs the command of this environment; gives what it wrote to stdout."""
    done = subprocess.run(
        [str(SCRIPT), *map(str, arguments)], capture_output=True, timeout=120, check=False
    )
    out, err = done.stdout.decode(), done.stderr.decode()
    shown = "harkback " + " ".join("KEY" if a == KEY else str(a) for a in arguments)
    if done.returncode != code:
        print(out, err, sep="\n", file=sys.stderr)
    check(done.returncode == code, f"{shown}: exit code {code}")
    check("Traceback" not in err, f"{shown}: no traceback")
    check(KEY not in out + err, f"{shown}: no key")
    return out


def served(store: Path) -> None:
    """One call over MCP, with what the extra installed."""
    start = [str(SCRIPT), "mcp", "--store", str(store)]
    with subprocess.Popen(start, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        asked = {"name": "Recall", "arguments": {"terms": ["deploy"]}}
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}}
        hello["clientInfo"] = {"name": "smoke", "version": "0"}
        for number, (method, params) in enumerate([("initialize", hello), ("tools/call", asked)]):
            message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            server.stdin.write(json.dumps(message).encode() + b"\n")
            server.stdin.flush()
            answer = json.loads(server.stdout.readline())
        check("[redacted]" in answer["result"]["content"][0]["text"], "a tool answers over MCP")
        server.stdin.close()
        check(server.wait(10) == 0, "the server ends with its client")


def main() -> None:
    import harkback
    import harkback.engine
    from harkback.tools import Toolset

    print(f"harkback {harkback.__version__} in {Path(harkback.__file__).parent}")
    check((Path(harkback.__file__).parent / "py.typed").is_file(), "the package says it is typed")

    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder, "runtime.sqlite")
        with harkback.Store.create(store) as writer:
            turn = writer.session("Smoke", "/home/lin/atlas").turn()
            turn.user(f"Deploy with {KEY}, please.")
            turn.assistant("模型的上下文窗口满了。 The context window is full.")
        check(store.is_file(), "a store is created")

        answers = {}
        for name in ("native", "reference"):
            check(harkback.engine.load(name).name == name, f"the {name} engine loads")
            with harkback.Recall(store, engine=name) as recall:
                answers[name] = [
                    recall.search([term]).to_json() for term in ("模型", "CONTEXT window", "deploy")
                ]
                try:
                    recall.search([KEY])
                    refused = None
                except harkback.QueryError as error:
                    refused = error.reason
                called = Toolset(recall).call("Recall", {"terms": "deploy"})
            check("| Deploy with [redacted]" in called.text, f"{name}: a tool answers")
            check(refused == "term_credential", f"{name}: a credential is refused as a term")
            check(
                all(json.loads(each)["passages"] for each in answers[name]), f"{name}: finds it all"
            )
            check(KEY not in "".join(answers[name]), f"{name}: shows no key")
        check(answers["native"] == answers["reference"], "both engines answer alike")

        check(command("--version", code=0).split()[-1] == harkback.__version__, "one version")
        check("[redacted]" in command("demo", code=0), "the demo redacts")
        check("模型" in command("search", "模型", "--store", folder, code=0), "a match is shown")
        sent = command("search", "deploy", "--json", "--store", store, code=0)
        check("[redacted]" in json.loads(sent)["passages"][0]["messages"][0]["text"], "as JSON too")
        command("search", "okapi", "--store", store, code=1)
        command("search", "okapi", "--store", Path(folder, "nowhere"), code=2)
        command("search", KEY, "--store", store, code=2)
        # Not "mcp": beside this file is a folder of that name.
        if importlib.util.find_spec("mcp.server") is None:
            command("mcp", "--store", store, code=2)
        else:
            served(store)
        text = Path(folder, "notes.txt")
        text.write_text(f"Deploy with {KEY}, please.")
        check("with [redacted]," in command("redact", text, code=0), "a text is redacted")
        command("redact", "--check", text, code=1)
    print("all is well")


if __name__ == "__main__":
    main()
