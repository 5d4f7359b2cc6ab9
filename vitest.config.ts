import { availableParallelism } from "node:os";
import path from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { SuiteTimes } from "./test/suite-times.js";

/** Begun first, so that none of them runs alone at the end. The longest one first. */
const slow = [
  "test/recovery/kill",
  "test/cdktf/deploy",
  "test/cdktf/package",
  "packages/terraform-plugin/test/package",
  "test/readme",
  "test/docs/add-a-kind",
  "test/constructs/export",
];

class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isOf = (name: string) => (file: TestSpecification) => file.moduleId.endsWith(`/${name}.test.ts`);
    const first = slow.flatMap((name) => files.filter(isOf(name)));
    const others = files.filter((file) => !first.includes(file));
    return [...first, ...(await super.sort(others))];
  }
}

export default defineConfig({
  resolve: {
    alias: {
      "@avatarops/terraform-plugin": path.resolve(
        import.meta.dirname,
        "packages/terraform-plugin/src/index.ts",
      ),
    },
  },
  test: {
    include: ["test/**/*.test.ts", "examples/**/*.test.ts", "packages/*/test/**/*.test.ts"],
    setupFiles: ["test/fuzz.ts"],
    reporters: ["default", ...(process.env.GITHUB_ACTIONS ? ["github-actions"] : []), new SuiteTimes()],
    globalSetup: ["test/left-out.ts"],
    // As many as there are processors, not one less: much of the time a test waits for programs.
    maxWorkers: availableParallelism(),
    sequence: { sequencer: SlowestFirst },
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // The host may have its own account, colours or CI marks: tests say what they need.
    env: { AVATAROPS_API_KEY: "", AVATAROPS_BASE_URL: "", NO_COLOR: "", FORCE_COLOR: "" },
  },
});
