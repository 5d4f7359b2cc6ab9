import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { passagesOf } from "../../scripts/docs/passages.js";
import { execute, succeed } from "../installing.js";
import { writtenFor } from "./page.js";

/* docs/cdktf.md word for word, with the newest libraries: its own line installs the clone, which is this repository. */

describe("a clone beside the app of docs/cdktf.md", { tags: "night" }, () => {
  test.each(writtenFor)(
    "is installed for %s with one copy of constructs, and finds misspelt properties",
    async (_, written) => {
      const root = await mkdtemp(path.join(tmpdir(), "avatarops-clone-"));
      onTestFinished(() => rm(root, { recursive: true, force: true }));
      const cwd = path.join(root, "app");
      await mkdir(path.join(cwd, "prompts"), { recursive: true });
      await symlink(path.resolve(import.meta.dirname, "../.."), path.join(root, "avatarops"));
      const [install = ""] = passagesOf("docs/cdktf.md", "sh");
      const [app = ""] = passagesOf("docs/cdktf.md", "ts");
      const [settings = "", compiler = ""] = passagesOf("docs/cdktf.md", "json");
      await writeFile(path.join(cwd, "main.ts"), written(app));
      await writeFile(path.join(cwd, "tsconfig.json"), compiler);
      await writeFile(path.join(cwd, "prompts/returns.md"), "You help.\n");
      // The scripts of the clone would build it anew, under the feet of other tests.
      const quiet = { npm_config_ignore_scripts: "true", npm_config_prefer_offline: "true" };
      const env = { ...process.env, ...quiet, npm_config_audit: "false", npm_config_fund: "false" };
      await succeed("bash", ["-ec", `${written(install)}\nnpm install constructs@latest`], {
        cwd,
        env,
      });
      const run = (text: string) =>
        writeFile(path.join(cwd, "main.ts"), text).then(() =>
          execute("bash", ["-ec", JSON.parse(settings).app], { cwd, env }),
        );
      const checked = await run(written(app));
      expect(checked, checked.stdout + checked.stderr).toMatchObject({ exit: 0 });
      const misspelt = await run(written(app).replace("openingText", "openingtext"));
      expect(misspelt.exit).not.toBe(0);
      expect(misspelt.stdout).toContain("Did you mean to write 'openingText'?");
    },
  );
});
