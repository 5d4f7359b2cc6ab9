import { fingerprintCost } from "../src/core/secrets/fingerprint.js";

/**
 * Reduces the cost of a fingerprint in the test process from a tenth of a second, because the tests create a thousand
 * of them. The built command keeps the real cost, which `test/secrets/fingerprint.test.ts` tests.
 */
fingerprintCost.log2N = 10;
