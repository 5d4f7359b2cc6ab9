import { readFile } from "node:fs/promises";
import { UsageError } from "../../../base/diagnostics/index.js";
import { loadProject } from "../../../operations/index.js";
import { declareTypes } from "../../../sessions/tokens/index.js";
import type { RunCommand } from "../command.js";
import type { typesCommand } from "../facts/others.js";

export const command: RunCommand<typeof typesCommand> = async (call) => {
  const { output, host } = call;
  const declared = declareTypes(await loadProject(call));
  const { check: file } = call.options;
  if (file === undefined) return output.result(declared);
  const kept = await readFile(host.resolve(file), "utf8").catch((cause: unknown) => {
    const code = String((cause as { code?: unknown }).code);
    throw new UsageError("outdated-types", `${file} cannot be read (${code}). ${remedy}`);
  });
  // Git may have changed the line ends on the way.
  if (kept.replaceAll("\r\n", "\n") !== declared)
    throw new UsageError("outdated-types", `${file} is not what the files declare now. ${remedy}`);
  output.info("The types are up to date.");
};

const remedy = "Write it again: `avatarops types > avatarops.d.ts`.";
