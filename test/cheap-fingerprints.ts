import { fingerprintCost } from "../src/core/secrets/fingerprint.js";

/**
 * Reduces the fingerprint cost, normally a tenth of a second, within the test process. The tests create a
 * thousand fingerprints. The built command keeps the real cost, which `test/secrets/fingerprint.test.ts` tests.
 */
fingerprintCost.log2N = 10;
