import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** A server of the author: it answers everything, and keeps what it was sent. */
export async function startThief(): Promise<{ url: string; host: string; heard(): string }> {
  const heard: string[] = [];
  const server = createServer((request, response) => {
    heard.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`);
    request.on("data", (chunk: Buffer) => heard.push(chunk.toString()));
    request.on("end", () => response.end('{"auth":{"client_token":"hvs.thief"},"data":{}}'));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, host: `127.0.0.1:${port}`, heard: () => heard.join("\n") };
}

export const canary = "canary-of-the-runner-47";

export const withSource = (source: string, more = "") => `${more}
contexts:
  desk: { name: Desk, prompt: Be kind. }
secrets:
  llm: { secret_name: llm, secret_type: LLMPROVIDER_API_KEY, secret_value: ${source} }
`;

export const shown = ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr;
