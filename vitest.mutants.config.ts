import path from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { mutatedFolders } from "./test/mutants/folders.js";
import base from "./vitest.config.js";

const root = import.meta.dirname;
const { projects: _, ...shared } = base.test ?? {};
const { tests = [] } = mutatedFolders[process.env.AVATAROPS_MUTANTS ?? ""] ?? {};

/** Runs the files in the order of their patterns. */
class ListedOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) =>
      tests.findIndex((pattern) => path.matchesGlob(path.relative(root, moduleId), pattern));
    return files.toSorted((a, b) => rank(a) - rank(b));
  }
}

/** Configuration of `npm run test:mutants`. For each mutant, runs the tests of its folder one by one in one process. */
export default defineConfig({
  resolve: {
    alias: [
      ...Object.entries(base.resolve?.alias ?? {}).map(([find, replacement]) => ({ find, replacement })),
      { find: /^\.\.\/scripts\/build\.js$/, replacement: path.resolve(root, "test/mutants/any-build.ts") },
    ],
  },
  test: {
    ...shared,
    include: [...tests],
    isolate: false,
    maxWorkers: 1,
    reporters: [],
    sequence: { sequencer: ListedOrder },
  },
});
