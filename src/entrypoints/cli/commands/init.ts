import { existsSync } from "node:fs";
import path from "node:path";
import { createProjectExistsError, mainFiles } from "../../../core/manifest/index.js";
import { quoteShellWord, runInFolder } from "../../../operations/index.js";
import type { CommandCall, RunCommand } from "../command.js";
import { addEditorSupport, writeNew } from "../editor-support.js";
import type { initCommand } from "../facts/project.js";
import { createStarterFiles } from "../starter.js";

export const command: RunCommand<typeof initCommand> = (call) => call.finishing(() => createProject(call));

async function createProject(call: CommandCall<typeof initCommand>): Promise<void> {
  const { host, output } = call;
  const [named = "."] = call.arguments;
  const folder = host.resolve(named);
  const files = Object.entries(createStarterFiles(folder));
  // Includes a manifest in the other language.
  const occupied = new Set([...files.map(([file]) => file), ...mainFiles]);
  const existing = [...occupied].filter((file) => existsSync(path.join(folder, file)));
  if (existing.length > 0) throw createProjectExistsError(folder, existing);
  await runInFolder(folder, async () => {
    for (const [file, text] of files) {
      if (!(await writeNew(folder, file, text))) throw createProjectExistsError(folder, [file]);
      output.result(path.join(named, file));
    }
    for (const file of await addEditorSupport(folder)) output.result(path.join(named, file));
  });
  const enter = path.relative(host.cwd, folder) === "" ? "" : `\`cd ${quoteShellWord(named)}\`, `;
  output.info(
    `Next: ${enter}set AVATAROPS_BASE_URL and AVATAROPS_API_KEY, and run \`avatarops plan\`. For a tour without an account, run \`avatarops help quickstart\`.`,
  );
}
