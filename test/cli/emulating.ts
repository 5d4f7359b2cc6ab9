import { type CommandResult, createStopper, newFolder, runIn, type Setting } from "./hosting.js";

/** A running `emulate` command. */
export interface Running {
  readonly url: string;
  /** Environment variables for a command in another terminal. */
  readonly variables: Readonly<Record<string, string>>;
  get(path: string): Promise<Response>;
  post(path: string, body: object): Promise<Response>;
  /** Stops the command, as Ctrl-C does. */
  stop(): Promise<CommandResult>;
}

/** Starts the command on a free port and resolves when it listens. */
export async function emulate(
  argv: readonly string[],
  folder?: string,
  setting: Setting = {},
): Promise<Running> {
  return emulateWithArguments(["--port", "0", ...argv], folder, setting);
}

/** Starts the command with exactly these arguments. Without `--port`, it uses the default port. */
export async function emulateWithArguments(
  argv: readonly string[],
  folder?: string,
  setting: Setting = {},
): Promise<Running> {
  const { stop, onStoppable } = createStopper();
  let listening: (line: string) => void = () => {};
  const heard = new Promise<string>((resolve) => {
    listening = resolve;
  });
  const ended = runIn(folder ?? (await newFolder()), ["emulate", ...argv], {
    ...setting,
    onStoppable,
    onStdout: (text) => {
      if (text.includes("AVATAROPS_BASE_URL=")) listening(text);
    },
  });
  const line = await Promise.race([
    heard,
    ended.then(({ stderr }) => Promise.reject(new Error(`It ended at once: ${stderr}`))),
  ]);
  const pairs = Array.from(
    line.matchAll(/(\w+)=(\S+)/g),
    ([, name = "", value = ""]) => [name, value] as const,
  );
  const variables = Object.fromEntries(pairs);
  const { AVATAROPS_BASE_URL: url = "" } = variables;
  const headers = { "x-api-key": "test-key", "content-type": "application/json" };
  return {
    ...{ url, variables },
    get: (path) => fetch(`${url}${path}`, { headers }),
    post: (path, body) => fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) }),
    stop() {
      stop("SIGINT");
      return ended;
    },
  };
}
