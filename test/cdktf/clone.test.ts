import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { findPassages } from "../../scripts/docs/passages.js";
import { findBuilt } from "../built.js";
import { execute, packInto, runProgram } from "../installing.js";
import { writtenFor } from "./page.js";

/*
 * Follows docs/cdktf.md word for word with the newest libraries, once with this repository as the clone and once with
 * the package.
 */

/** Title of each variant, and a function that returns the package to install. */
const ways = [
  ["a clone", async () => "../avatarops"],
  ["the packed package", packInto],
] as const;

describe.each(ways)("app in docs/cdktf.md with %s", { tags: "night" }, (_, findPackage) => {
  test.each(writtenFor)(
    "installs one copy of the constructs package for %s and rejects misspelled properties",
    async (_, written) => {
      findBuilt();
      const root = await mkdtemp(path.join(tmpdir(), "avatarops-clone-"));
      onTestFinished(() => rm(root, { recursive: true, force: true }));
      const cwd = path.join(root, "app");
      await mkdir(path.join(cwd, "prompts"), { recursive: true });
      await symlink(path.resolve(import.meta.dirname, "../.."), path.join(root, "avatarops"));
      const [install = ""] = findPassages("docs/cdktf.md", "sh");
      const [app = ""] = findPassages("docs/cdktf.md", "ts");
      const [settings = "", compiler = ""] = findPassages("docs/cdktf.md", "json");
      await writeFile(path.join(cwd, "main.ts"), written(app));
      await writeFile(path.join(cwd, "tsconfig.json"), compiler);
      await writeFile(path.join(cwd, "prompts/returns.md"), "You help.\n");
      // Disables install scripts, which would rebuild the clone while other tests use it.
      const quiet = { npm_config_ignore_scripts: "true", npm_config_prefer_offline: "true" };
      const env = { ...process.env, ...quiet, npm_config_audit: "false", npm_config_fund: "false" };
      const named = written(install).replace("../avatarops", await findPackage(root));
      await runProgram("bash", ["-ec", `${named}\nnpm install constructs@latest`], { cwd, env });
      // `npm ls` fails because cdktn 0.24 requires an older version of constructs.
      const { stdout: copies } = await execute("npm", ["ls", "constructs", "--parseable"], { cwd, env });
      expect(copies.trim().split("\n")).toEqual([path.join(await realpath(cwd), "node_modules/constructs")]);
      const run = (text: string) =>
        writeFile(path.join(cwd, "main.ts"), text).then(() =>
          execute("bash", ["-ec", JSON.parse(settings).app], { cwd, env }),
        );
      const checked = await run(written(app));
      expect(checked, checked.stdout + checked.stderr).toMatchObject({ exit: 0 });
      const misspelled = await run(written(app).replace("openingText", "openingtext"));
      expect(misspelled.exit).not.toBe(0);
      expect(misspelled.stdout).toContain("Did you mean to write 'openingText'?");
    },
  );
});
