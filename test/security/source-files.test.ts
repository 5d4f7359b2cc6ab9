// @module-tag ci
/** Tests YAML that would make avatarops trust a certificate file outside the project. */
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { newFolder, startProject } from "../cli/hosting.js";
import { canary, formatManifest, joinStreams } from "./thief.js";

test("accepts a certificate file only from the project or the environment", async () => {
  const outside = path.join(await newFolder(), "ca.pem");
  await writeFile(outside, canary);
  const state = `state: "postgres://127.0.0.1:1/ops?sslrootcert=${outside}"\ncontexts: {}\n`;
  const project = await startProject({ files: { "avatarops.yaml": state } });
  expect(joinStreams(await project.avatarops("plan"))).toMatch(/outside\s+the\s+project/);
  // A secret source in YAML cannot name a certificate file.
  const source = "!vault { path: kv/llm, field: key, address: https://127.0.0.1:1 }";
  await project.write(
    "avatarops.yaml",
    formatManifest(source.replace(" }", `, ca_cert_file: "${outside}" }`)),
  );
  expect(joinStreams(await project.avatarops("plan"))).toMatch(/ca_cert_file/);
  const environment = { VAULT_TOKEN: "hvs.x", VAULT_CACERT: outside };
  await project.write("avatarops.yaml", formatManifest(source));
  // A file from an environment variable is allowed, so the error is about its content.
  expect(joinStreams(await project.avataropsWith({ environment }, "plan"))).toMatch(
    /is\s+not\s+a\s+PEM\s+file\s+with\s+certificates/,
  );
});
