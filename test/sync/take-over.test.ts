// @module-tag night
import { describeTakeOver } from "./take-over.js";

// In S3: test/real/sync.test.ts.
describeTakeOver("on a ref of the repository", () => ({ state: "git+refs://origin/avatarops/production" }));
