"""Drives the client inside the pipeline service. The rest of the service needs a LiveKit room."""

import aiohttp
from pipecat.services.heygen.api_liveavatar import AvatarPersona, LiveAvatarApi, LiveAvatarNewSessionRequest

from steps import base, key, serve

LiveAvatarApi.BASE_URL = f"{base}/v1"
session = {}


def client():
    if "api" not in session:
        session["api"] = LiveAvatarApi(key, aiohttp.ClientSession())
    return session["api"]


async def mint(asked):
    persona = AvatarPersona(context_id=asked["context"]) if asked["mode"] == "FULL" else None
    request = LiveAvatarNewSessionRequest(
        mode=asked["mode"], avatar_id=asked["avatar"], is_sandbox=asked["sandbox"], avatar_persona=persona
    )
    session["token"] = (await client().create_session_token(request)).data


async def start(_):
    started = await client().start_session(session["token"].session_token)
    assert started.data.session_id == session["token"].session_id


async def stop(_):
    await client().stop_session(session["token"].session_id, session["token"].session_token)


serve({"mint": mint, "start": start, "stop": stop})
