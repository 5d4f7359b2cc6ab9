import type { Behavior } from "./behavior.js";

/**
 * By profile name, settings for deployments with features beyond the API document. Each resource's table lists its
 * extra endpoints.
 */
export const profiles = {
  liveavatar: {
    // Assumed for all endpoints, although some unidentified endpoints were observed to respond with 100.
    successCode: 1000,
    errorBodies: "envelope-422",
    nulls: true,
    credits: 200,
    secretTypes: [
      ...["OPENAI_API_KEY", "ELEVENLABS_API_KEY", "GEMINI_API_KEY", "CARTESIA_API_KEY", "LLM_API_KEY"],
      ...["LLMPROVIDER_API_KEY", "VOICEPROVIDER_API_KEY"],
    ],
  },
} satisfies Readonly<Record<string, Partial<Behavior>>>;

export type Profile = keyof typeof profiles;
