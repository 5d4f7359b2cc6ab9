import { fingerprintCost } from "../src/core/secrets/fingerprint.js";

/**
 * A fingerprint takes a tenth of a second of a processor, and the tests make a thousand. Those made in their own process cost a
 * thirtieth; the built command makes them as users have them, and `test/secrets/fingerprint.test.ts` tests those.
 */
fingerprintCost.log2N = 10;
