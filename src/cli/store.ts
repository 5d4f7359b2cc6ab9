import path from "node:path";
import type { Manifest } from "../manifest/index.js";
import { openStore, type Session, type Store } from "../state/index.js";
import { type Call, numberOption } from "./command.js";
import { ignoreBesideState } from "./ignore-in-git.js";

/** The store of a project's state. */
export function openProjectStore({ host }: Call, manifest: Pick<Manifest, "root" | "state">): Store {
  const bootId = host.bootId?.();
  return openStore(path.join(manifest.root, manifest.state), {
    root: manifest.root,
    ...(bootId === undefined ? {} : { bootId }),
    now: host.now,
    newId: host.newId,
    pid: host.pid,
    host: host.hostname,
  });
}

/**
 * Holds the lock of a project's state while `work` is done, waiting for it as long as `--lock-timeout` says.
 *
 * @throws LockedError when someone else holds it for longer.
 */
export async function withLock<Result>(
  call: Call,
  manifest: Manifest,
  command: string,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  return call.releasing(async () => {
    const session = await openProjectStore(call, manifest).lock({
      command: `avatarops ${command}`,
      timeoutMs: numberOption(call, "lockTimeout") ?? 0,
      signal: call.signal,
      onWait: (holder) =>
        call.output.info(
          `Waiting: the state is locked by ${holder ? `\`${holder.command}\`, since ${holder.since}` : "someone"}.`,
        ),
    });
    try {
      await ignoreLock(call, manifest);
      return await work(session);
    } finally {
      await session.release();
    }
  });
}

/** A state in a folder of its own choice has its lock and journal ignored from the first time it is written. */
async function ignoreLock({ output }: Call, { root, state }: Manifest): Promise<void> {
  const what = `what lives beside ${state} while a command runs`;
  try {
    if (await ignoreBesideState(root, state)) output.info(`Added ${what} to .gitignore.`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    output.warn(`The .gitignore does not leave out ${what}, and could not be changed (${code}).`);
  }
}
