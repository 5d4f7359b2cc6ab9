import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { realInside } from "../../files/index.js";
import { manifestSchema, ProjectExistsError } from "../../manifest/index.js";
import { renderJson } from "../../render/index.js";
import type { Call, RunCommand } from "../command.js";
import { type ExitCode, exitCode } from "../exit-code.js";
import { inFolder } from "../folder.js";
import { ignoreInGit } from "../ignore-in-git.js";
import { starterFiles } from "../starter.js";

export const command: RunCommand = (call) => call.finishing(() => begin(call));

async function begin({ host, talk, arguments: [given] }: Call): Promise<ExitCode> {
  const named = typeof given === "string" ? given : ".";
  const folder = host.resolve(named);
  const files = Object.entries(starterFiles(renderJson(manifestSchema())));
  const existing = files.map(([file]) => file).filter((file) => existsSync(path.join(folder, file)));
  if (existing.length > 0) throw new ProjectExistsError(folder, existing);
  await inFolder(folder, async () => {
    for (const [file, text] of files) {
      const target = await realInside(folder, file);
      await mkdir(path.dirname(target), { recursive: true });
      await writeFile(target, text, { flag: "wx" });
      talk.print(path.join(named, file));
    }
    if (await ignoreInGit(folder)) talk.print(path.join(named, ".gitignore"));
  });
  const enter = path.relative(host.cwd, folder) === "" ? "" : `cd ${named}, `;
  talk.say(
    `Next: ${enter}set AVATAROPS_BASE_URL and AVATAROPS_API_KEY, and run avatarops plan. No account at hand? \`avatarops emulate\` runs one here.`,
  );
  return exitCode.done;
}
