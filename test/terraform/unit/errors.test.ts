import { describe, expect, test } from "vitest";
import type { ServiceErrorCode } from "../../../src/core/api/index.js";
import { type Emulator, generateDataset } from "../../../src/emulator/index.js";
import { account, type Run, startRun, type Values } from "./driving.js";

interface Trouble {
  readonly fault?: string;
  readonly settings?: (emulator: Emulator) => Values;
  readonly act?: (run: Run) => Promise<unknown>;
  readonly summary: string;
}

const world = generateDataset({ contexts: 1 });
const [{ id } = { id: "" }] = world.contexts;

/** One for each code there is: a new one does not compile before it has a row. */
const troubles: Record<ServiceErrorCode, Trouble> = {
  unreachable: {
    settings: () => ({ base_url: "http://127.0.0.1:1" }),
    summary: "The service cannot be reached",
  },
  dns: {
    settings: () => ({ base_url: "http://service.invalid" }),
    summary: "The service cannot be reached",
  },
  tls: {
    settings: ({ url }) => ({ base_url: url.replace("http:", "https:") }),
    summary: "No secure connection to the service",
  },
  timeout: {
    fault: "* * hang times=always",
    settings: () => ({ timeout_seconds: 0.02 }),
    summary: "The service did not answer in time",
  },
  cut: { fault: "* * cut times=always", summary: "The connection was lost" },
  unauthorized: { fault: "* * 401", summary: "The service does not accept the API key" },
  forbidden: { fault: "* * 403", summary: "The API key lacks the permission" },
  "not-found": { fault: '* * 404 body="<html>"', summary: "The service refused the request" },
  refused: { fault: "* * 400", summary: "The service refused the request" },
  "name-taken": {
    fault: 'POST /v1/contexts 400 body="Context with this name already exists"',
    act: (run) => run.apply("avatarops_context", { name: "Desk", prompt: "Be kind." }),
    summary: "The service refused the context",
  },
  "rate-limited": { fault: "* * 429 retry-after=500", summary: "Rate limit exceeded" },
  unavailable: { fault: "* * 500 times=always", summary: "The service failed" },
  "not-an-id": {
    act: (run) => run.read("avatarops_context", { id: "../avatars" }),
    summary: "Invalid id",
  },
  "not-json": { fault: '* * malformed body="<html>"', summary: "The answer is not JSON" },
  "wrong-shape": {
    fault: '* * malformed body="{\\"code\\": 100, \\"data\\": 5}"',
    summary: "Unexpected answer from the service",
  },
  redirected: { fault: "* * 302", summary: "The service redirects" },
  cancelled: {
    act: (run) => {
      run.stop();
      return run.read("avatarops_context", { id });
    },
    summary: "Cancelled",
  },
};

describe("an error of the service or the connection", () => {
  test.each(Object.entries(troubles))(
    "%s is explained, and is no bug of the provider",
    async (_code, trouble) => {
      const { fault, settings, act = (run) => run.read("avatarops_context", { id }), summary } = trouble;
      const emulator = await account({ world });
      if (fault) emulator.addFault(fault);
      const run = await startRun(emulator, settings?.(emulator));
      expect(await act(run)).toMatchObject({
        said: [{ severity: "error", summary, detail: expect.stringMatching(/\S/) }],
      });
    },
  );
});
