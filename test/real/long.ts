/** Whether tests that take minutes are run: the run is one of `npm run test:real`. */
export const isLong = process.env.AVATAROPS_TEST_REAL === "1";
