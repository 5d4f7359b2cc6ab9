import { toCanonicalId } from "../../../base/text/index.js";
import { restrictToReads, type Service } from "../../../core/api/index.js";
import {
  openAccount,
  quoteShellWord,
  requireProfile,
  restrictToSessionFilters,
  withService,
} from "../../../operations/index.js";
import { toSessionDocument } from "../../../output/documents/index.js";
import { makeVisible } from "../../../output/render/index.js";
import { parseRow, type SessionRow } from "../../../sessions/reports/index.js";
import { confirm } from "../applying.js";
import type { RunCommand } from "../command.js";
import { type ExitCode, exitCode, pickWorstExitCode } from "../exit-code.js";
import type { sessionsShowCommand, sessionsStopCommand } from "../facts/sessions.js";
import { showFailure } from "../show-failure.js";

export const show: RunCommand<typeof sessionsShowCommand> = async (call) => {
  const { options, output } = call;
  const id = toCanonicalId(call.arguments[0]);
  const project = await openAccount(call);
  requireProfile(project);
  await withService(call, restrictToSessionFilters(project), async (opened) => {
    const service = restrictToReads(opened);
    const session = await read(service, id);
    const transcript = options.transcript ? await service.sessions.readTranscript(id) : undefined;
    output.show(toSessionDocument(session, project.service.sessionDurationUnit, transcript));
    if (transcript?.session_active) output.warn("The session is active, so the transcript is incomplete.");
    else if (transcript?.transcript_data.length === 0)
      output.info("The service has no transcript of this session.");
  });
};

/** Stops sessions. Declared objects do not change, so this needs neither state nor lock, and ignores holds. */
export const stop: RunCommand<typeof sessionsStopCommand> = async (call) => {
  const { host, options, output } = call;
  const ids = [...new Set(call.arguments[0].map(toCanonicalId))];
  const project = await openAccount(call);
  requireProfile(project);
  const question = makeVisible(`Stop ${ids.join(", ")}? Type "yes" to end these conversations: `);
  if (!options.autoApprove && !(host.interactive && (await confirm(call, question)))) {
    const next = ["avatarops", "sessions", "stop", "--auto-approve", ...call.argv.slice(2)].map(
      quoteShellWord,
    );
    const why = `, because confirmation needs a terminal. To stop them: \`${next.join(" ")}\``;
    output.warn(`Nothing was stopped${host.interactive ? "." : why}`);
    return host.interactive ? exitCode.cancelled : exitCode.undecided;
  }
  const failures: ExitCode[] = [];
  await call.runToEnd(() =>
    withService(call, restrictToSessionFilters(project), async (service) => {
      for (const [at, id] of ids.entries()) {
        if (call.signal.aborted) {
          output.warn(`Stopped before ${ids.slice(at).join(", ")}. These sessions may still be active.`);
          failures.push(exitCode.cancelled);
          break;
        }
        try {
          const session = await stopSession(service, id);
          const { end_at: ended = "", end_reason: why = "" } = session;
          output.writeResult(
            makeVisible(`${id}: ${hasEnded(session) ? `ended ${ended} ${why}` : "will end soon"}`.trim()),
          );
        } catch (error) {
          failures.push(showFailure(error, output, call.signal));
        }
      }
    }),
  );
  if (failures.includes(exitCode.cancelled)) return exitCode.cancelled;
  return failures.length < ids.length && failures.length > 0 ? exitCode.partly : pickWorstExitCode(failures);
};

/** Stops a session unless it has ended. Then reads the session, to learn the outcome even if the response was lost. */
async function stopSession(service: Service, id: string): Promise<SessionRow> {
  const before = await read(service, id);
  if (hasEnded(before)) return before;
  const problem = await service.sessions.stop(id).catch((error: Error) => error);
  const after = await read(service, id).catch((error: Error) => Promise.reject(problem ?? error));
  if (!problem || hasEnded(after)) return after;
  problem.message += " The session may still be active.";
  throw problem;
}

function hasEnded({ end_at, end_reason }: SessionRow): boolean {
  return (end_at ?? end_reason) !== undefined;
}

async function read(service: Service, id: string): Promise<SessionRow> {
  return parseRow(await service.sessions.read(id)) ?? { id };
}
