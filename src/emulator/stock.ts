/**
 * Stock objects, only in deployments with a profile. An account's own lists omit them, but its sessions can use them.
 */
import type { TimestampedRow } from "./account.js";
import { createSampleId, sandboxAvatarId } from "./sample-ids.js";

const since = "2025-01-01T00:00:00.000Z";
const createDated = (id: string): TimestampedRow => ({ id, created_at: since, updated_at: since });

const people = "Bryan Ann Dexter Elenora Graham Judith Pedro Katya Silas Marianne".split(" ");
const places = ["at a desk", "in an office", "in a shop", "by a window", "standing"];

/** Voices that every account may use (see {@link Voice}). */
export const stockVoices = [
  { ...createDated("c2527536-6d1f-4412-a643-53a3497dada9"), name: "Wayne", gender: "male" },
  { ...createDated("62bbb4b2-bb26-4727-bc87-cfb2bd4e0cc8"), name: "June - Lifelike", gender: "female" },
  ...people.map((name, i) => ({
    ...{ ...createDated(createSampleId("5b", i)), name, gender: i % 2 === 1 ? "female" : "male" },
  })),
].map((one) => ({ ...one, language: "en", tags: ["stock"], description: "" }));

const [wayne, june, ...others] = stockVoices.map(({ id, name }) => ({ default_voice: { id, name } }));

/** Stock avatars for sandbox sessions. */
export const sandboxAvatars = [
  { ...createDated(sandboxAvatarId), name: "Wayne", ...wayne },
  { ...createDated("65f9e3c9-d48b-4118-b73a-4ae2e3cbb8f0"), name: "June HR", ...june },
];

/** Stock avatars that every account may use. */
export const stockAvatars = [
  ...sandboxAvatars,
  // Ids from published examples.
  { ...createDated("513fd1b7-7ef9-466d-9af2-344e51eeb833"), name: "Ann Therapist", ...june },
  { ...createDated("073b60a9-89a8-45aa-8902-c358f64d2852"), name: "Katya Sitting", ...june },
  ...places
    .flatMap((place) => people.map((name, j) => ({ name: `${name} ${place}`, ...others[j] })))
    .map((one, i) => ({ ...createDated(createSampleId("5a", i)), ...one })),
];

/** Contexts that every account may use in sessions, but not read. */
export const publicContextIds: readonly string[] = [
  "5b9dba8a-aa31-11f0-a6ee-066a7fa2e369",
  "158f5d55-2d4f-11f1-8d28-066a7fa2e369",
];
