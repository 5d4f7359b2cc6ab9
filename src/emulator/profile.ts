import type { Behavior } from "./behavior.js";

/**
 * Settings of deployments with features beyond the API document, by profile name. Their extra endpoints are in each
 * resource's file.
 */
export const profiles = {
  liveavatar: {
    // Assumption: all endpoints respond with 1000. A few were observed to respond with 100, but it is unknown which.
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
