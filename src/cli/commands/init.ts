import { existsSync } from "node:fs";
import path from "node:path";
import { ProjectExistsError } from "../../manifest/index.js";
import type { Call, RunCommand } from "../command.js";
import { addEditorSupport, writeNew } from "../editor-support.js";
import { type ExitCode, exitCode } from "../exit-code.js";
import { inFolder } from "../folder.js";
import { shellWord } from "../shell-word.js";
import { starterFiles } from "../starter.js";

export const command: RunCommand = (call) => call.finishing(() => begin(call));

async function begin({ host, output, arguments: [given] }: Call): Promise<ExitCode> {
  const named = typeof given === "string" ? given : ".";
  const folder = host.resolve(named);
  const files = Object.entries(starterFiles);
  const existing = files.map(([file]) => file).filter((file) => existsSync(path.join(folder, file)));
  if (existing.length > 0) throw new ProjectExistsError(folder, existing);
  const { advice } = await inFolder(folder, async () => {
    for (const [file, text] of files) {
      if (!(await writeNew(folder, file, text))) throw new ProjectExistsError(folder, [file]);
      output.result(path.join(named, file));
    }
    const equipment = await addEditorSupport(folder, { yaml: true });
    for (const file of equipment.files) output.result(path.join(named, file));
    return equipment;
  });
  for (const sentence of advice) output.info(sentence);
  const enter = path.relative(host.cwd, folder) === "" ? "" : `\`cd ${shellWord(named)}\`, `;
  output.info(
    `Next: ${enter}set AVATAROPS_BASE_URL and AVATAROPS_API_KEY, and run \`avatarops plan\`. To try it without an account, run \`avatarops emulate\`.`,
  );
  return exitCode.done;
}
