"""Drives the client inside the plugin. The rest of the plugin joins a call."""

from vision_agents.plugins.liveavatar.liveavatar_client import LiveAvatarClient

from steps import base, key, serve

session = {}


def client():
    return session.setdefault("client", LiveAvatarClient(key, base_url=base))


async def mint(asked):
    session["token"] = await client().create_session_token(
        asked["avatar"], is_sandbox=asked["sandbox"], max_session_duration=300
    )


async def start(_):
    started = await client().start_session(session["token"].session_token)
    assert started.session_id == session["token"].session_id


async def stop(_):
    await client().stop_session(session_id=session["token"].session_id)


serve({"mint": mint, "start": start, "stop": stop})
