import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { findBuilt } from "../built.js";
import { matchText, newFolder, startProject } from "../cli/hosting.js";

/** Starts a shell that may mount without affecting other processes. */
const unshare = ["unshare", "--map-root-user", "--mount"] as const;
const canMount =
  spawnSync(unshare[0], [...unshare.slice(1), "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).status === 0;

/** Runs a command in a project folder on a read-only disk. */
async function runReadOnly(state: string, ...argv: string[]) {
  const project = await startProject({
    files: { "avatarops.yaml": "contexts:\n  desk: { name: Desk, prompt: Be kind. }\n" },
  });
  const disk = await newFolder();
  const script = `mount -t tmpfs tmpfs "$1" && cp "$2/avatarops.yaml" "$1" && mkdir "$1/there" && mount -o remount,ro "$1" && cd "$1" && shift 2 && exec "$@"`;
  const child = spawn(
    unshare[0],
    [
      ...[...unshare.slice(1), "sh", "-c", script, "sh", disk, project.folder],
      ...[process.execPath, findBuilt(), ...argv],
    ],
    {
      env: {
        ...{ PATH: process.env.PATH, HOME: disk, XDG_CACHE_HOME: path.join(disk, "cache") },
        ...{
          AVATAROPS_BASE_URL: project.emulator.url,
          AVATAROPS_API_KEY: "test-key",
          AVATAROPS_STATE: state,
        },
      },
    },
  );
  const [stderr, [exit]] = await Promise.all([text(child.stderr), once(child, "close")]);
  return { exit, stderr, writes: project.emulator.requests.filter(({ method }) => method !== "GET") };
}

test.skipIf(!canMount).for([
  ["in a new folder", ".avatarops/state.json"],
  ["in a folder that exists", "there/state.json"],
] as const)(
  "reports a read-only disk for a state %s, and names the settings that move the state",
  async ([, state]) => {
    const ran = await runReadOnly(state, "apply", "-y");
    expect(ran).toMatchObject({
      exit: 1,
      writes: [],
      stderr: matchText("error[read-only-disk] Cannot write"),
    });
    expect(ran.stderr).toEqual(
      matchText(
        "the disk is read-only. Make it writable, or choose another location (`state:` in the manifest, `AVATAROPS_STATE`, or `--out`).",
      ),
    );
    expect(ran.stderr).not.toContain("does not exist");
  },
);

test.skipIf(!canMount)("reports a read-only disk if export cannot create its folder", async () => {
  expect(await runReadOnly("state.json", "export", "out")).toMatchObject({
    exit: 1,
    stderr: matchText("out: the disk is read-only. Choose another folder."),
  });
});
