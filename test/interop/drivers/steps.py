"""What the drivers of the Python clients share.

A driver gets one step a line on stdin, as JSON, and runs it with the client's own code. It answers with
the error that came of it, if any did.
"""

import asyncio
import json
import os
import sys

# The clients print and log what they like.
answers = os.fdopen(os.dup(1), "w")
sys.stdout = sys.stderr

base = os.environ["SERVICE_URL"]
key = os.environ["LIVEAVATAR_API_KEY"]


def serve(steps):
    """Runs steps until stdin ends. `steps`: a coroutine function by the name of the step."""
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
