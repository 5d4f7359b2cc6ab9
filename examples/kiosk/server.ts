/**
 * Sends session tokens to a kiosk's page. Run before the start and after each apply:
 *
 *     avatarops generate types > avatarops.d.ts
 *     avatarops generate presets > avatarops.presets.json
 *
 * AVATAROPS_API_KEY stays on the server. The page gets a token that starts one session. Authenticate visitors and limit
 * the number of tokens, because each session costs credits.
 */
import { createServer } from "node:http";
import { mintToken, ServiceError, TokenError } from "avatarops";

const server = createServer(async (request, response) => {
  const reply = (status: number, body: object) => {
    response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" });
    response.end(JSON.stringify(body));
  };
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
  if (request.method !== "POST" || pathname !== "/token") return reply(404, { error: "not found" });
  // Cancels the request if the visitor leaves.
  const leaving = new AbortController();
  response.on("close", () => leaving.abort());
  try {
    const token = await mintToken("kiosk", {
      dynamicVariables: { customer: searchParams.get("customer") ?? "dear visitor" },
      signal: AbortSignal.any([leaving.signal, AbortSignal.timeout(10_000)]),
    });
    reply(200, { token: token.reveal() });
  } catch (error) {
    // Logs the error, which contains neither the token nor the visitor's name.
    const isKnown = error instanceof ServiceError || error instanceof TokenError;
    console.error(isKnown ? `${error.code}: ${error.message}` : error);
    if (!response.destroyed) reply(503, { error: "cannot start a session now" });
  }
});

server.listen(Number(process.env.PORT ?? 3000), "127.0.0.1", () => {
  const address = server.address();
  console.log(`Listening on port ${typeof address === "object" ? address?.port : address}`);
});
