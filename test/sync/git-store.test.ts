// @module-tag night
import { describeSync } from "./on-store.js";

// With the other stores: test/real/sync.test.ts.
describeSync("on a ref of the repository", () => ({ state: "git+refs://origin/avatarops/production" }));
