// @module-tag night
import { expect, test } from "vitest";
import { saying, startProject } from "../cli/hosting.js";
import { isLong } from "../real/long.js";
import { serverPlaces } from "./places.js";

// What it refuses is tried with a state in a file: test/cli/state.test.ts.
test.each(isLong ? serverPlaces : serverPlaces.slice(0, 1))(
  "state move-service keeps the state and its history: %s",
  async (_, open) => {
    const place = await open();
    const project = await startProject({
      files: {
        "avatarops.yaml": `state: ${place.location}\ncontexts:\n  a: { name: A, prompt: Be kind. }\n`,
      },
      environment: place.environment,
    });
    place.prepare(project.folder);
    expect(await project.avatarops("apply", "-y")).toMatchObject({ exit: 0 });
    const ids = async () =>
      JSON.parse((await project.avatarops("state", "list", "--format", "json")).stdout).objects;
    const before = await ids();
    expect(before).toHaveLength(1);

    // The same account by another name.
    const { url } = project.emulator;
    const moved = url.replace("127.0.0.1", "localhost");
    const there = (...argv: string[]) =>
      project.avataropsWith({ environment: { AVATAROPS_BASE_URL: moved } }, ...argv);
    expect(await there("plan")).toMatchObject({
      exit: 1,
      stderr: saying(`state move-service ${url} ${moved}`),
    });
    expect(await there("state", "move-service", url, moved)).toMatchObject({
      exit: 0,
      stdout: `The state now belongs to ${moved}.\n`,
    });
    expect(await ids()).toEqual(before);
    expect(await there("plan", "--detailed-exitcode")).toMatchObject({ exit: 0 });
    const { records } = JSON.parse((await there("history", "--format", "json")).stdout);
    expect(records.map(({ serial }: { serial: number }) => serial)).toEqual([2, 1]);
    expect(await there("state", "unlock")).toMatchObject({ stdout: "The state is not locked.\n" });
    expect(project.emulator.world.contexts).toHaveLength(1);
  },
);
