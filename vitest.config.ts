import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts", "examples/**/*.test.ts"],
    setupFiles: ["test/fuzz.ts"],
    globalSetup: ["test/left-out.ts"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // The host may have its own account, colours or CI marks: tests say what they need.
    env: { AVATAROPS_API_KEY: "", AVATAROPS_BASE_URL: "", NO_COLOR: "", FORCE_COLOR: "" },
  },
});
