import { describeHolder, LockedError } from "../../../core/state/index.js";
import { loadProject, openProjectStore } from "../../../operations/index.js";
import { visible } from "../../../output/render/index.js";
import type { RunCommand } from "../command.js";
import { exitCode } from "../exit-code.js";
import type { stateUnlockCommand } from "../facts/state.js";

export const command: RunCommand<typeof stateUnlockCommand> = async (call) => {
  const manifest = await loadProject(call);
  try {
    // Some stores show a lock only to who tries to take it.
    const holder = await call.releasing(() =>
      openProjectStore(call, manifest).unlock({ force: call.options.force }),
    );
    call.output.result(
      holder ? `Removed the lock of ${visible(describeHolder(holder))}.` : "The state is not locked.",
    );
    return exitCode.done;
  } catch (error) {
    if (error instanceof LockedError)
      error.message = `${error.message} If you are sure that it is not running, add --force: two runs at the same time create objects twice.`;
    throw error;
  }
};
