import { onTestFinished } from "vitest";
import { serve } from "../listening.js";

/** Starts an attacker's server that accepts every request and records it. */
export async function startThief(): Promise<{ url: string; host: string; heard(): string }> {
  const heard: string[] = [];
  const { url, port, close } = await serve((request, response) => {
    heard.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`);
    request.on("data", (chunk: Buffer) => heard.push(chunk.toString()));
    request.on("end", () => response.end('{"auth":{"client_token":"hvs.thief"},"data":{}}'));
  });
  onTestFinished(close);
  return { url, host: `127.0.0.1:${port}`, heard: () => heard.join("\n") };
}

export const canary = "canary-of-the-runner-47";

export const formatManifest = (source: string, more = "") => `${more}
contexts:
  desk: { name: Desk, prompt: Be kind. }
secrets:
  llm: { secret_name: llm, secret_type: LLMPROVIDER_API_KEY, secret_value: ${source} }
`;

export const joinStreams = ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr;
