/**
 * Drives the client inside the SDK in Node. The rest of the SDK needs a browser and a LiveKit room. The client gets a
 * token, like a page from its server.
 */
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

// The room detects the features of a browser.
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
