/** What we last did, kept safely: versions, atomic writes, journal, lock. */
export type { Entry, Intent, Remembered, RememberedDigest, StaleObject, State } from "./state.js";
