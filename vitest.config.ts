import { availableParallelism } from "node:os";
import path from "node:path";
import { configDefaults, defineConfig } from "vitest/config";
import { needs } from "./test/needs.js";

/**
 * Files that run in separate processes because they change global state, such as Node's functions, or run at night. All
 * other files share processes, which load the sources only once, so they must not leave global state behind.
 */
const alone = [
  "test/real/*.test.ts",
  "test/scaling/*.test.ts",
  "test/docs/add-a-kind.test.ts",
  "test/secrets/aws.test.ts",
  "test/state/crash.test.ts",
];

/** Runs after all other tests, because its eight concurrent processes need the processors for themselves. */
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
    // Omits `skip: false`, because it would override another tag's `skip: true`.
    tags: needs.map(({ tag, what, isThere }) => ({
      ...{ name: tag, description: what },
      ...(!isThere() && { skip: true }),
    })),
    // Runs one worker more than there are processors, because tests wait for programs and disks a quarter of the time.
    maxWorkers: availableParallelism() + 1,
    // Keeps transformed modules for the next run, such as `npm run test:ci` after `npm test`.
    experimental: { fsModuleCache: true },
    // Stops hanging tests, with a margin for slow machines. Tests that take longer set their own timeout.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
    // Removes the account, color and CI settings of the machine. Tests set the variables that they need.
    env: { AVATAROPS_API_KEY: "", AVATAROPS_BASE_URL: "", NO_COLOR: "", FORCE_COLOR: "" },
  },
});
