import { spawn } from "node:child_process";
import path from "node:path";
import { createInterface } from "node:readline";
import { tools } from "../../scripts/tools.js";

/** Session that a client requests. */
export interface Scenario {
  readonly mode: "FULL" | "LITE";
  readonly sandbox: boolean;
}

const all: readonly Scenario[] = (["FULL", "LITE"] as const).flatMap((mode) =>
  [false, true].map((sandbox) => ({ mode, sandbox })),
);

/** Third-party client of the service. */
export interface Client {
  /** Package name in its registry. */
  readonly name: typeof webSdk | keyof typeof tools;
  /** Whether CI runs the client, because it installs in seconds. */
  readonly isSmall?: true;
  readonly scenarios: readonly Scenario[];
  readonly steps: readonly string[];
}

const webSdk = "@heygen/liveavatar-web-sdk";
const python = ["mint", "start", "stop"];

export const clients: readonly Client[] = [
  {
    name: webSdk,
    isSmall: true,
    scenarios: all,
    steps: ["start", "keep alive", "stop"],
  },
  {
    name: "hypersonic-heygen",
    isSmall: true,
    scenarios: [{ mode: "FULL", sandbox: false }],
    steps: ["look up", ...python],
  },
  {
    name: "livekit-plugins-liveavatar",
    scenarios: all.filter(({ mode }) => mode === "LITE"),
    steps: python,
  },
  {
    name: "pipecat-ai",
    scenarios: all,
    steps: python,
  },
  {
    name: "vision-agents-plugins-liveavatar",
    scenarios: all.filter(({ mode }) => mode === "LITE"),
    steps: python,
  },
];

/** A driver's response to a step. */
export interface Answer {
  readonly error?: string;
  /** The mode that the client reads from the session, if any. */
  readonly mode?: string;
}

/** Running client: its code and our driver. */
export interface RunningClient {
  step(asked: object): Promise<Answer>;
  [Symbol.asyncDispose](): Promise<void>;
}

export function startClient({ name }: Client, url: string, key: string): RunningClient {
  const folder = name === webSdk ? path.join(tools.libraries.path, "node_modules", name) : tools[name].path;
  const drivers = path.join(import.meta.dirname, "drivers");
  const [program, argv] =
    name === webSdk
      ? [process.execPath, [path.join(drivers, "web-sdk.mjs"), path.join(folder, "lib/index.esm.js")]]
      : ["python3", [path.join(drivers, `${name}.py`)]];
  const child = spawn(program, argv, {
    stdio: ["pipe", "pipe", "pipe"],
    env: {
      ...{ PATH: process.env.PATH, HOME: process.env.HOME, NO_PROXY: "*" },
      ...{ PYTHONPATH: folder, PYTHONNOUSERSITE: "1", PYTHONDONTWRITEBYTECODE: "1" },
      ...{ SERVICE_URL: url, LIVEAVATAR_API_KEY: key },
    },
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    stderr += text;
  });
  child.stdin.on("error", () => {});
  const ended = new Promise<void>((resolve) => child.on("close", () => resolve()));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async step(asked) {
      child.stdin.write(`${JSON.stringify(asked)}\n`);
      const { value, done } = await lines.next();
      if (done) return { error: `The driver ended: ${stderr.slice(-2000)}` };
      const answer: Answer = JSON.parse(value);
      return answer.error === undefined ? answer : { error: `${answer.error}\n${stderr.slice(-2000)}` };
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await ended;
    },
  };
}
