/** Checks that no dashboard edit is silently overwritten and no deleted object is mistaken for a new one. */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { generateDataset } from "../../src/emulator/index.js";
import type { DriftDocument } from "../../src/output/documents/index.js";
import { type Project, startAndApply, startProject } from "../cli/hosting.js";
import {
  applySuccessfully,
  listContextNames,
  runUnwrapped,
  summarizeApply,
  summarizePlan,
} from "./commands.js";

const formatManifest = (desk: string, shop = "Be brief.") =>
  `contexts:\n  desk: { name: Desk, prompt: ${desk} }\n  shop: { name: Shop, prompt: ${shop} }\n`;

const startDesk = (text = formatManifest("Ours.")): Promise<Project> =>
  startAndApply({ files: { "avatarops.yaml": text } });

it("omits objects changed by a concurrent apply from the drift report and asks for a re-run", async () => {
  const project = await startDesk();
  for (const [name, prompt] of [
    ["Desk", "Applied meanwhile."],
    ["Shop", "Theirs."],
  ] as const)
    project.emulator.editContext(name, { prompt });
  project.emulator.addFault({
    match: { method: "GET", path: "/v1/contexts" },
    do: {
      kind: "run",
      run() {
        const file = path.join(project.folder, ".avatarops/state.json");
        writeFileSync(file, readFileSync(file, "utf8").replace("Ours.", "Applied meanwhile."));
      },
    },
  });
  const drifted = async () => {
    const { exit, stdout } = await runUnwrapped(project, "drift", "--format", "json");
    const { objects, notes } = JSON.parse(stdout) as DriftDocument;
    return { exit, addresses: objects.map(({ address }) => address), notes };
  };
  expect(await drifted()).toEqual({
    ...{ exit: 2, addresses: ["context.shop"] },
    notes: ["Skipped context.desk, because an apply is changing them. Re-run the command."],
  });
  expect(await drifted()).toEqual({ exit: 2, addresses: ["context.shop"], notes: [] });
});

describe("avatar that does not exist", () => {
  const host = (id: string) => `avatars:\n  host: { id: ${id}, name: Host }\n${formatManifest("Ours.")}`;
  const wrong = "10000000-0000-4000-8000-0000000000ff";

  it("is reported as missing and does not delay other objects", async () => {
    const project = await startProject({
      files: { "avatarops.yaml": host(wrong) },
      world: generateDataset({ avatars: 1 }),
    });
    expect(await summarizePlan(project)).toMatchObject({
      exit: 1,
      changes: expect.arrayContaining(["missing avatar.host unknown-id"]),
      notes: [
        `The account has no avatar with the id ${wrong}, and the service cannot create one. Correct the id.`,
      ],
    });
    expect(await summarizeApply(project)).toMatchObject({
      exit: 3,
      outcomes: expect.arrayContaining(["avatar.host failed missing"]),
    });
    expect(listContextNames(project)).toEqual(["Desk", "Shop"]);
    expect(await summarizePlan(project)).toMatchObject({
      exit: 1,
      changes: ["missing avatar.host unknown-id"],
    });
    expect(await summarizeApply(project)).toMatchObject({ exit: 1 });
    await project.write("avatarops.yaml", host("10000000-0000-4000-8000-000000000000"));
    await applySuccessfully(project);
    await project.expectNothingToDo();
  });
});
