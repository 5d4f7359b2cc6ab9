// @module-tag ci
/** YAML that has a file of the machine trusted that its author chose. */
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { newFolder, startProject } from "../cli/hosting.js";
import { canary, shown, withSource } from "./thief.js";

test("a file of certificates is one of the project, or one that the environment names", async () => {
  const outside = path.join(await newFolder(), "ca.pem");
  await writeFile(outside, canary);
  const state = `state: "postgres://127.0.0.1:1/ops?sslrootcert=${outside}"\ncontexts: {}\n`;
  const project = await startProject({ files: { "avatarops.yaml": state } });
  expect(shown(await project.avatarops("plan"))).toMatch(/outside\s+the\s+project/);
  // A source names none.
  const source = "!vault { path: kv/llm, field: key, address: https://127.0.0.1:1 }";
  await project.write("avatarops.yaml", withSource(source.replace(" }", `, ca_cert_file: "${outside}" }`)));
  expect(shown(await project.avatarops("plan"))).toMatch(/ca_cert_file/);
  const environment = { VAULT_TOKEN: "hvs.x", VAULT_CACERT: outside };
  await project.write("avatarops.yaml", withSource(source));
  // It is opened: only what is in it is wrong.
  expect(shown(await project.avataropsWith({ environment }, "plan"))).toMatch(
    /is\s+not\s+a\s+file\s+of\s+certificates/,
  );
});
