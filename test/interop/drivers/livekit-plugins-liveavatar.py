"""Drives the client inside the plugin. The rest of the plugin needs a LiveKit room."""

import aiohttp
from livekit import rtc
from livekit.plugins.liveavatar.api import LiveAvatarAPI

from steps import base, key, serve

session = {}


def client():
    if "api" not in session:
        session["api"] = LiveAvatarAPI(key, api_url=f"{base}/v1/sessions", session=aiohttp.ClientSession())
    return session["api"]


async def mint(asked):
    created = await client().create_streaming_session(
        livekit_url="wss://room.example",
        livekit_token="token-of-the-room",
        room=rtc.Room(),
        avatar_id=asked["avatar"],
        is_sandbox=asked["sandbox"],
        video_quality="high",
    )
    session["ids"] = (created["data"]["session_id"], created["data"]["session_token"])


async def start(_):
    started = await client().start_streaming_session(*session["ids"])
    assert started["data"]["ws_url"].startswith("ws")


async def stop(_):
    await client().stop_streaming_session(*session["ids"])


serve({"mint": mint, "start": start, "stop": stop})
