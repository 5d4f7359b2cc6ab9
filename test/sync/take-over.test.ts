// @module-tag night
import { describeTakeOver } from "./take-over.js";

// test/real/sync.test.ts tests S3.
describeTakeOver("on a ref of the repository", () => ({ state: "git+refs://origin/avatarops/production" }));
