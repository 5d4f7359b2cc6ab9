// @module-tag night
import { describeSync } from "./on-store.js";

// test/real/sync.test.ts tests the other stores.
describeSync("on a ref of the repository", () => ({ state: "git+refs://origin/avatarops/production" }));
