import { availableParallelism } from "node:os";
import path from "node:path";
import { configDefaults, defineConfig } from "vitest/config";
import { needs } from "./test/needs.js";

/**
 * Files with a process of their own: those that change what a process shares, such as functions of Node, and those of the night. All
 * others run one after the other in the same processes, which load the sources once: nothing that one leaves behind may matter to another.
 */
const alone = [
  "test/real/*.test.ts",
  "test/scaling/*.test.ts",
  "test/docs/add-a-kind.test.ts",
  "test/secrets/aws.test.ts",
  "test/state/crash.test.ts",
];

/** Runs when the others are over: what eight processes see of a state depends on how long each waits for a processor. */
const last = "test/linearizable/*.test.ts";

export default defineConfig({
  resolve: {
    alias: {
      "@avatarops/terraform-plugin": path.resolve(
        import.meta.dirname,
        "packages/terraform-plugin/src/index.ts",
      ),
      ...(process.env.AVATAROPS_TEST_GOOGLE_AUTH && {
        "google-auth-library": process.env.AVATAROPS_TEST_GOOGLE_AUTH,
      }),
    },
  },
  test: {
    projects: [
      { extends: true, test: { name: "alone", include: alone } },
      {
        extends: true,
        test: {
          name: "shared",
          include: ["test/**/*.test.ts", "examples/**/*.test.ts", "packages/*/test/**/*.test.ts"],
          exclude: [...configDefaults.exclude, ...alone, last],
          isolate: false,
        },
      },
      { extends: true, test: { name: "last", include: [last], sequence: { groupOrder: 1 } } },
    ],
    setupFiles: ["test/fuzz.ts", "test/cheap-fingerprints.ts"],
    reporters: ["default", ...(process.env.GITHUB_ACTIONS ? ["github-actions"] : [])],
    // Not `skip: false` for what is there: it would win over another tag's `skip: true`.
    tags: needs.map(({ tag, what, isThere }) => ({
      ...{ name: tag, description: what },
      ...(!isThere() && { skip: true }),
    })),
    // One more than there are processors: a quarter of the time a test waits for programs and disks.
    maxWorkers: availableParallelism() + 1,
    // Only so that what hangs ends: a slow machine is no mistake. What takes longer than that says so.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
    // The host may have its own account, colours or CI marks: tests say what they need.
    env: { AVATAROPS_API_KEY: "", AVATAROPS_BASE_URL: "", NO_COLOR: "", FORCE_COLOR: "" },
  },
});
