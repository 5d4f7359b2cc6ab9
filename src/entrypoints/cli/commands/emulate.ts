import { once } from "node:events";
import { UsageError } from "../../../base/diagnostics/index.js";
import { openLockedFile } from "../../../core/state/index.js";
import {
  type Emulator,
  emptyDataset,
  type LoggedRequest,
  parseBehaviour,
  parseFault,
  sampleDataset,
  spreadSessions,
  startEmulator,
} from "../../../emulator/index.js";
import { loadProject, type Project, shellWord, storeEnvironment } from "../../../operations/index.js";
import { visible } from "../../../output/render/index.js";
import type { CommandCall, RunCommand } from "../command.js";
import type { emulateCommand } from "../facts/others.js";

type EmulateCall = CommandCall<typeof emulateCommand>;

export const command: RunCommand<typeof emulateCommand> = (call) =>
  call.finishing(() => holdingData(call, () => serve(call)));

/** Of two emulators that keep their data in one file, the one that writes last would undo what the other has. */
async function holdingData(call: EmulateCall, work: () => Promise<void>): Promise<void> {
  const { host, options } = call;
  if (options.data === undefined) return work();
  const file = host.resolve(options.data);
  const environment = storeEnvironment({ ...call, options: {} }, host.cwd);
  const held = await openLockedFile(file, "avatarops emulate", environment);
  try {
    await work();
  } finally {
    await held.release();
  }
}

async function serve(call: EmulateCall): Promise<void> {
  const { output, signal } = call;
  const { apiKey, data } = call.options;
  const project = call.options.project ? await loadProject(call) : undefined;
  if (project && data !== undefined)
    throw new UsageError(
      "usage",
      "--project begins with what the files say, and --data with what a file has: use one.",
    );
  const emulator = await started(call, project);
  try {
    const more = project
      ? await (await import("./emulate-project.js")).copyProject(call, project, emulator)
      : "";
    for (const fault of call.options.fault) emulator.addFault(parseFault(fault));
    output.info(`The emulator listens on ${emulator.url}. Press Ctrl-C to stop. In another terminal:`);
    output.progress("\n");
    output.result(`export AVATAROPS_BASE_URL=${emulator.url} AVATAROPS_API_KEY=${shellWord(apiKey)}${more}`);
    output.progress("\n");
    if (!signal.aborted) await once(signal, "abort");
  } finally {
    await closed(call, emulator);
  }
}

/** The same every time: a state belongs to the address of its account. */
const usualPort = 8642;

async function started(call: EmulateCall, project: Project | undefined): Promise<Emulator> {
  const { host, output } = call;
  const { apiKey, port, data, empty, sessions } = call.options;
  const profile = call.options.profile ?? project?.service.profile;
  const nowMs = host.now();
  const world = empty || project ? emptyDataset() : sampleDataset(nowMs, profile);
  // Node refuses an empty header value, so no client could send this key.
  if (apiKey === "")
    throw new UsageError("api-key", "The API key is empty: give --api-key at least one character.");
  const behaviour = Object.assign({}, ...call.options.behave.map(parseBehaviour));
  try {
    return await startEmulator({
      ...(port === undefined ? { usualPort } : { port }),
      apiKey,
      behaviour,
      profile,
      now: host.now,
      newId: host.newId,
      world: sessions === undefined ? world : { ...world, sessions: spreadSessions(sessions, nowMs) },
      ...(data === undefined ? {} : { dataFile: host.resolve(data) }),
      onRequest: (request) => output.progress(describeRequest(request)),
    });
  } catch (error) {
    const why = portProblems[(error as NodeJS.ErrnoException).code ?? ""];
    if (why === undefined) throw error;
    const wanted = port ?? (error as { port?: number }).port;
    throw new UsageError("port", `Port ${wanted} ${why}: choose another with --port, or 0 for a free one.`);
  }
}

/** Keyed by the codes of Node's errors. */
const portProblems: Readonly<Record<string, string>> = {
  EADDRINUSE: "is in use, perhaps by an emulator that still runs",
  EACCES: "needs permissions that your user does not have",
  ERR_SOCKET_BAD_PORT: "is not a port",
};

async function closed(call: EmulateCall, emulator: Emulator): Promise<void> {
  try {
    await emulator.close();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const { data } = call.options;
    if (code === undefined || data === undefined) throw error;
    throw new UsageError(
      "data-file",
      `The data could not be saved in ${data} (${code}): check that the folder can be written.`,
    );
  }
}

/** `POST /v1/contexts 201`, with the fault if there was one; "–" if no answer was sent. */
function describeRequest({ method, path, query, status, fault }: LoggedRequest): string {
  const search = new URLSearchParams(query).toString();
  const what = `${method} ${path}${search && `?${search}`} ${status ?? "–"}`;
  return visible(fault === undefined ? what : `${what} fault: ${fault}`);
}
