import { UsageError } from "../../../base/diagnostics/index.js";
import { migrateState } from "../../../core/state/index.js";
import {
  ignoreLock,
  loadProject,
  lockOptions,
  noState,
  stateLocation,
  storeEnvironment,
} from "../../../operations/index.js";
import { stateMigrationDocument } from "../../../output/documents/index.js";
import type { RunCommand } from "../command.js";
import { exitCode } from "../exit-code.js";
import type { stateMigrateCommand } from "../facts/state.js";

export const command: RunCommand<typeof stateMigrateCommand> = async (call) => {
  const { output } = call;
  const { to } = call.options;
  if (to === undefined) {
    throw new UsageError(
      "usage",
      "Name the new place: --to git+refs://origin/avatarops/production, for one.",
    );
  }
  const manifest = await loadProject(call);
  const migration = await call.releasing(() =>
    migrateState(
      stateLocation(manifest),
      stateLocation({ ...manifest, state: to }),
      storeEnvironment(call, manifest.root),
      lockOptions(call, manifest, "state migrate"),
    ),
  );
  if (!migration) throw new UsageError("no-state", noState(manifest));
  await ignoreLock(call, { ...manifest, state: to });
  const { environment, state: from } = manifest;
  const setting = { from, to, ...(environment === undefined ? {} : { environment }) };
  const document = stateMigrationDocument(migration, setting);
  output.show(document);
  return exitCode.done;
};
