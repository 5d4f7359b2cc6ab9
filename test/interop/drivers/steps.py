"""Shared code for drivers of Python clients.

A driver reads one step per line from stdin, as JSON, and runs it with the client's own code. It responds with
the error of the step, if any.
"""

import asyncio
import json
import os
import sys

# Keeps client output out of the responses.
answers = os.fdopen(os.dup(1), "w")
sys.stdout = sys.stderr

base = os.environ["SERVICE_URL"]
key = os.environ["LIVEAVATAR_API_KEY"]


def serve(steps):
    """Runs steps until stdin ends. `steps` has a coroutine function for each step."""
    asyncio.run(_serve(steps))


async def _serve(steps):
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            await steps[asked["step"]](asked)
            answer = {}
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), file=answers, flush=True)
