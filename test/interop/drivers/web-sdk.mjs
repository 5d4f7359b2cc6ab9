/**
 * Drives the SDK's client in Node. The rest of the SDK needs a browser and a LiveKit room. The client receives a
 * token, like a web page from its server.
 */
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

// Provides the browser features that the room detects.
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
