import { fingerprintCost } from "../src/core/secrets/fingerprint.js";

/**
 * A fingerprint takes a tenth of a second, and the tests make a thousand. Within the test process they now cost a
 * thirtieth. The built command uses the real cost, which `test/secrets/fingerprint.test.ts` tests.
 */
fingerprintCost.log2N = 10;
