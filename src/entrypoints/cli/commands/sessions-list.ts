import { restrictToReads, type Service } from "../../../core/api/index.js";
import {
  findSessionFilters,
  openAccount,
  type Project,
  readPeriod,
  restrictToSessionFilters,
  withService,
} from "../../../operations/index.js";
import { toSessionsSummary } from "../../../output/documents/index.js";
import { openSessionsWriter } from "../../../output/render/index.js";
import {
  openTotals,
  readSessions,
  type SessionRow,
  type SessionStream,
} from "../../../sessions/reports/index.js";
import type { CommandCall, RunCommand } from "../command.js";
import { type ExitCode, exitCode } from "../exit-code.js";
import type { sessionsListCommand } from "../facts/sessions.js";
import { type ReadProgress, showReading } from "../progress.js";
import { showFailure } from "../show-failure.js";

/** Number of sessions per write. */
const chunkLength = 100;

export const command: RunCommand<typeof sessionsListCommand> = async (call) => {
  const manifest = await openAccount(call);
  return withService(call, restrictToSessionFilters(manifest, call.options), (service) =>
    list(call, manifest, restrictToReads(service)),
  );
};

async function list(
  call: CommandCall<typeof sessionsListCommand>,
  project: Project,
  service: Service,
): Promise<ExitCode> {
  const { output, signal } = call;
  const { type } = call.options;
  const { sessionDurationUnit: durationUnit } = project.service;
  const { filter } = await findSessionFilters(call, project, service, call.options);
  const { since, until } = await readPeriod(service, call.host.now, call.options);
  const stream = readSessions(service, { type, since, until, filter });
  const totals = openTotals();
  const writer = openSessionsWriter(output.format, type, { ...output.stdoutText, durationUnit });
  const createSummary = (complete: boolean) =>
    toSessionsSummary({ type, complete, totals: totals.value() }, durationUnit, stream.facts());
  let isBegun = false;

  async function write(_: unknown, reading: ReadProgress): Promise<void> {
    for await (const rows of toChunks(stream)) {
      for (const row of rows) totals.add(row);
      const text = writer.sessions(rows);
      isBegun ||= text !== "";
      reading.clear();
      if (!(await output.writePart(text))) return;
    }
  }

  try {
    await call.runCleanup(() => showReading(call, service, write));
  } catch (error) {
    // Once started, the JSON document must be closed.
    const isOpenJson = output.format === "json" && isBegun;
    await output.writePart(isOpenJson ? writer.end(createSummary(false)) : writer.rest());
    if (!isOpenJson) throw error;
    return showFailure(error, { ...output, format: "text" }, signal);
  }
  await output.writePart(writer.end(createSummary(!stream.facts().unstable)));
  return exitCode.done;
}

/** Groups rows into chunks. If reading fails, the rows read so far come before the error. */
async function* toChunks(stream: SessionStream): AsyncGenerator<readonly SessionRow[]> {
  const rows: SessionRow[] = [];
  try {
    for await (const row of stream) if (rows.push(row) >= chunkLength) yield rows.splice(0);
  } catch (error) {
    yield rows;
    throw error;
  }
  yield rows;
}
