import { describe, expect, test } from "vitest";
import type { ServiceErrorCode } from "../../../src/core/api/index.js";
import { type Emulator, generateDataset } from "../../../src/emulator/index.js";
import { startProxy } from "../../http/proxy.js";
import { account, type Run, startRun, type Values } from "./driving.js";

interface Trouble {
  readonly fault?: string;
  readonly settings?: (emulator: Emulator) => Values;
  /** Through a proxy that requires a login. */
  readonly isProxied?: boolean;
  readonly act?: (run: Run) => Promise<unknown>;
}

const world = generateDataset({ contexts: 1 });
const [{ id } = { id: "" }] = world.contexts;

/** One for each code there is: a new one does not compile before it has a row. */
const troubles: Record<Exclude<ServiceErrorCode, "withheld">, Trouble> = {
  unreachable: {
    settings: () => ({ base_url: "http://127.0.0.1:1" }),
  },
  dns: {
    settings: () => ({ base_url: "http://service.invalid" }),
  },
  tls: {
    settings: ({ url }) => ({ base_url: url.replace("http:", "https:") }),
  },
  proxy: {
    settings: () => ({ base_url: "http://service.test" }),
    isProxied: true,
  },
  timeout: {
    fault: "* * hang times=always",
    settings: () => ({ timeout_seconds: 0.02 }),
  },
  cut: { fault: "* * cut times=always" },
  unauthorized: { fault: "* * 401" },
  forbidden: { fault: "* * 403" },
  "not-found": { fault: "* * 404 body=<html>" },
  refused: { fault: "* * 400" },
  "name-taken": {
    fault: "POST /v1/contexts 400 body=Context with this name already exists",
    act: (run) => run.apply("avatarops_context", { name: "Desk", prompt: "Be kind." }),
  },
  "rate-limited": { fault: "* * 429 retry-after=500" },
  unavailable: { fault: "* * 500 times=always" },
  "not-an-id": {
    act: (run) => run.read("avatarops_context", { id: "../avatars" }),
  },
  "not-json": { fault: "* * malformed body=<html>" },
  "wrong-shape": {
    fault: '* * malformed body={"code": 100, "data": 5}',
  },
  redirected: { fault: "* * 302" },
  cancelled: {
    act: (run) => {
      run.stop();
      return run.read("avatarops_context", { id });
    },
  },
};

describe("an error of the service or the connection", () => {
  test.each(Object.entries(troubles))(
    "%s is explained, and is no bug of the provider",
    async (_code, trouble) => {
      const { fault, settings, isProxied, act = (run) => run.read("avatarops_context", { id }) } = trouble;
      const emulator = await account({ world });
      if (fault) emulator.addFault(fault);
      await using proxy = await startProxy({ user: "ada:right" });
      const environment = { AVATAROPS_API_KEY: "test-key", HTTP_PROXY: proxy.url };
      const run = await startRun(emulator, settings?.(emulator), isProxied ? { environment } : {});
      expect(await act(run)).toMatchObject({
        said: [
          {
            severity: "error",
            summary: expect.stringMatching(/failed|refused/),
            detail: expect.stringMatching(/\S/),
          },
        ],
      });
    },
  );
});
