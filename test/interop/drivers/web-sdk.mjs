/**
 * The client inside the SDK, in Node; the rest of it needs a browser and a LiveKit room. It is given a token, as a page is by its
 * server.
 */
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

// The room asks a browser what it supports.
globalThis.RTCPeerConnection = class {};
const { LiveAvatarSession } = await import(pathToFileURL(process.argv[2]).href);

let session;
const steps = {
  start: "startSession",
  "keep alive": "keepAlive",
  stop: "stopSession",
};

for await (const line of createInterface({ input: process.stdin })) {
  const asked = JSON.parse(line);
  if (asked.step === "start")
    session = new LiveAvatarSession(asked.token, { apiUrl: process.env.SERVICE_URL });
  const answer = await session.sessionClient[steps[asked.step]]().then(
    () => ({ mode: session._mode }),
    (error) => ({ error: String(error) }),
  );
  console.log(JSON.stringify(answer));
}
