/** For the tests of a store in a package, with any test runner: `avatarops/testing`. */
export { type StoreCheck, storeChecks } from "./store-checks.js";
