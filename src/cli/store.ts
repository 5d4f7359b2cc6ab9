import path from "node:path";
import type { Manifest } from "../manifest/index.js";
import { openStore, type Session, type Store } from "../state/index.js";
import { type Call, numberOption } from "./command.js";

/** The store of a project's state. */
export function openProjectStore({ host }: Call, manifest: Pick<Manifest, "root" | "state">): Store {
  const bootId = host.bootId?.();
  return openStore(path.join(manifest.root, manifest.state), {
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
  const session = await openProjectStore(call, manifest).lock({
    command: `avatarops ${command}`,
    timeoutMs: numberOption(call, "lockTimeout") ?? 0,
    signal: call.signal,
    onWait: (holder) =>
      call.talk.say(
        `Waiting: the state is locked by ${holder ? `\`${holder.command}\`, since ${holder.since}` : "someone"}.`,
      ),
  });
  try {
    return await work(session);
  } finally {
    await session.release();
  }
}
