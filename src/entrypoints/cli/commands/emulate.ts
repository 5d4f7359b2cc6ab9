import { once } from "node:events";
import { UsageError } from "../../../base/diagnostics/index.js";
import {
  createEmptyDataset,
  createSampleDataset,
  type Emulator,
  type LoggedRequest,
  parseBehavior,
  parseFault,
  startEmulator,
} from "../../../emulator/index.js";
import { loadProject, type Project } from "../../../operations/index.js";
import { makeVisible } from "../../../output/render/index.js";
import type { CommandCall, RunCommand } from "../command.js";
import type { emulateCommand } from "../facts/others.js";

type EmulateCall = CommandCall<typeof emulateCommand>;

export const command: RunCommand<typeof emulateCommand> = (call) => call.runToEnd(() => serve(call));

async function serve(call: EmulateCall): Promise<void> {
  const { output, signal } = call;
  const faults = call.options.fault.map(parseFault);
  const project = call.options.project ? await loadProject(call) : undefined;
  const emulator = await start(call, project);
  try {
    const more = project
      ? await (await import("./emulate-project.js")).copyProject(call, project, emulator)
      : "";
    for (const fault of faults) emulator.addFault(fault);
    output.info(`The emulator listens on ${emulator.url}. Press Ctrl-C to stop. In another terminal:`);
    output.progress("\n");
    output.writeResult(`export AVATAROPS_BASE_URL=${emulator.url} AVATAROPS_API_KEY=test-key${more}`);
    output.progress("\n");
    if (!signal.aborted) await once(signal, "abort");
  } finally {
    await emulator.close();
  }
}

async function start(call: EmulateCall, project: Project | undefined): Promise<Emulator> {
  const { host, output } = call;
  const { port, empty } = call.options;
  const profile = call.options.profile ?? project?.service.profile;
  const behavior = Object.assign({}, ...call.options.behave.map(parseBehavior));
  try {
    return await startEmulator({
      port,
      behavior,
      profile,
      now: host.now,
      newId: host.newId,
      world: empty || project ? createEmptyDataset() : createSampleDataset(host.now(), profile),
      onRequest: (request) => output.progress(describeRequest(request)),
    });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    const problem = `Cannot listen on port ${port} (${code}). Choose another port with --port (0: any free port).`;
    throw new UsageError("port", problem);
  }
}

/** Formats a request as `POST /v1/contexts 201`, with the injected fault. "–" means that no response was sent. */
function describeRequest({ method, path, query, status, fault }: LoggedRequest): string {
  const search = new URLSearchParams(query).toString();
  const what = `${method} ${path}${search && `?${search}`} ${status ?? "–"}`;
  return makeVisible(fault === undefined ? what : `${what} fault: ${fault}`);
}
