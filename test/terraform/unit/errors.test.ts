import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { ServiceErrorCode } from "../../../src/core/api/index.js";
import { type Emulator, generateDataset } from "../../../src/emulator/index.js";
import { selfSigned } from "../../emulator/self-signed.js";
import { startProxy } from "../../http/proxy.js";
import { type Run, startAccount, startRun, type Values } from "./driving.js";

interface Trouble {
  readonly headline: string;
  readonly fault?: string;
  readonly settings?: (emulator: Emulator) => Values;
  /** Sends requests through a proxy that requires a login. */
  readonly isProxied?: boolean;
  readonly act?: (run: Run) => Promise<unknown>;
}

const world = generateDataset({ contexts: 1 });
const [{ id } = { id: "" }] = world.contexts;

/** Cases by error code. The compiler requires a case for each code. */
const troubles: Record<Exclude<ServiceErrorCode, "withheld">, Trouble> = {
  unreachable: {
    headline: "The service cannot be reached",
    settings: () => ({ base_url: "http://127.0.0.1:1" }),
  },
  dns: {
    headline: "The host name of the service cannot be resolved",
    settings: () => ({ base_url: "http://service.invalid" }),
  },
  tls: {
    headline: "The TLS connection to the service failed",
    settings: ({ url }) => ({ base_url: url.replace("http:", "https:") }),
  },
  proxy: {
    headline: "The proxy refused the request",
    settings: () => ({ base_url: "http://service.test" }),
    isProxied: true,
  },
  timeout: {
    headline: "The service did not respond in time",
    fault: "* * hang times=always",
    settings: () => ({ timeout_seconds: 0.02 }),
  },
  "no-response": {
    headline: "The server sent no HTTP response",
    fault: "* * drop-before times=always",
  },
  cut: {
    headline: "The response is incomplete",
    fault: "* * cut times=always",
  },
  unauthorized: {
    headline: "The service rejected the API key",
    fault: "* * 401",
  },
  forbidden: {
    headline: "The API key lacks a permission",
    fault: "* * 403",
  },
  "not-found": {
    headline: "The service did not find the requested object",
    fault: "* * 404 body=<html>",
  },
  refused: {
    headline: "The service refused the request",
    fault: "* * 400",
  },
  "name-taken": {
    headline: "The service rejected the context",
    fault: "POST /v1/contexts 400 body=Context with this name already exists",
    act: (run) => run.apply("avatarops_context", { name: "Desk", prompt: "Be kind." }),
  },
  "rate-limited": {
    headline: "The service's rate limit was exceeded",
    fault: "* * 429 retry-after=500",
  },
  unavailable: {
    headline: "The service failed",
    fault: "* * 500 times=always",
  },
  "not-an-id": {
    headline: "An ID is malformed",
    act: (run) => run.read("avatarops_context", { id: "../avatars" }),
  },
  "not-json": {
    headline: "The response is not JSON",
    fault: "* * malformed body=<html>",
  },
  "wrong-shape": {
    headline: "The response does not have the documented shape",
    fault: '* * malformed body={"code": 100, "data": 5}',
  },
  redirected: {
    headline: "The service redirects to another URL",
    fault: "* * 302",
  },
  cancelled: {
    headline: "Operation cancelled",
    act: (run) => {
      run.stop();
      return run.read("avatarops_context", { id });
    },
  },
};

describe("service and connection errors", () => {
  test.each(Object.entries(troubles))("have a distinct summary for %s", async (_code, trouble) => {
    const {
      headline,
      fault,
      settings,
      isProxied,
      act = (run) => run.read("avatarops_context", { id }),
    } = trouble;
    const emulator = await startAccount({ world });
    if (fault) emulator.addFault(fault);
    await using proxy = await startProxy({ user: "ada:right" });
    const environment = { AVATAROPS_API_KEY: "test-key", HTTP_PROXY: proxy.url };
    const run = await startRun(emulator, settings?.(emulator), isProxied ? { environment } : {});
    expect(await act(run)).toMatchObject({
      diagnostics: [
        {
          severity: "error",
          summary: headline,
          detail: expect.stringMatching(/\S/),
        },
      ],
    });
  });
});

const damaged = selfSigned.cert.replace("MIIBmzCCAUGgAwIBAgI", "MIIBmzCCAUGgAwIB");

test.each<[what: string, content: string | undefined, says: RegExp | undefined]>([
  ["is missing", undefined, /^The file \S+authority\.pem cannot be read\. Correct the path/],
  [
    "is empty",
    "",
    /^The file \S+authority\.pem contains no readable certificate\. Add the server's CA certificate/,
  ],
  ["contains other text", "not a certificate\n", /contains no readable certificate/],
  ["contains only a key", selfSigned.key, /contains no readable certificate/],
  ["contains a damaged certificate", damaged, /contains no readable certificate/],
  ["contains a certificate after a key", `${selfSigned.key}\n${selfSigned.cert}\n`, undefined],
])("warns about an unusable file in NODE_EXTRA_CA_CERTS: %s", async (_, content, says) => {
  const folder = await mkdtemp(path.join(tmpdir(), "avatarops-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = path.join(folder, "authority.pem");
  if (content !== undefined) await writeFile(file, content);
  const emulator = await startAccount();
  const environment = {
    AVATAROPS_BASE_URL: emulator.url,
    AVATAROPS_API_KEY: "test-key",
    NODE_EXTRA_CA_CERTS: file,
  };
  const { diagnostics } = await startRun(emulator, {}, { environment });
  const summary = "NODE_EXTRA_CA_CERTS is ignored";
  expect(diagnostics).toMatchObject(
    says ? [{ severity: "warning", summary, detail: expect.stringMatching(says) }] : [],
  );
});
