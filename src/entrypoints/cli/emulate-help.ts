import type { HelpSection } from "./command.js";

/** Values of `--fault` and `--behave`; a test checks them against what the emulator accepts. */
export const emulateHelp: readonly HelpSection[] = [
  {
    title: 'Faults, as "METHOD PATH ACTION SETTING…"; METHOD and PATH may be *:',
    rows: [
      ["503", "any status: answered without processing the request"],
      ["503-after", "answered after processing the request"],
      ["drop-before", "closes the connection without processing the request"],
      ["drop-after", "closes the connection after processing the request"],
      ["cut", "sends half of the answer, or bytes=N of it"],
      ["malformed", "answers with body=TEXT"],
      ["delay", "waits ms=N first; delay-after: waits before the answer"],
      ["hang", "never answers; hang-after: processes the request first"],
    ],
  },
  {
    title: "Settings of faults:",
    rows: [
      ["times=N", "how many requests are hit, or times=always (default: 1)"],
      ["skip=N", "how many requests pass first"],
      ["contains=TEXT", "only requests with this text in their body"],
      ["body=TEXT", "body of a status or malformed answer"],
      ["retry-after=TEXT", "header of a status answer"],
    ],
  },
  {
    title: "Behaviours, the default first:",
    rows: [
      ["successCode=100", "code of a successful answer"],
      ["links=replace|merge", "what an update does with links it omits"],
      ["contextNames=unique|free", "whether two contexts may have the same name"],
      ["nulls=false|true", "empty fields are null"],
      ["extraFields=false|true", "answers have undocumented fields"],
      ["promptCutAt=off|65535", "prompts are cut at this length"],
      ["requireAllOnPatch=false|true", "updates must have name, prompt and opening_text"],
      ["errorBodies=envelope|envelope-list|detail", "form of an error answer"],
      ["rateLimitPerSecond=off|20", "rate limit per key and endpoint"],
      ["rateLimitRetryAfter=true|false", "a 429 says how long to wait"],
      ["latencyMs=0|250", "minimum latency of every request"],
      ["listOrder=created|newest|updated|shuffled", "order of lists"],
      ["nextStyle=url|marker|null|absent", "how a list names the next page"],
      ["timestampPrecision=ms|us|s", "precision of timestamps"],
      ["oddSessions=off|50", "of so many sessions, one has an unknown shape"],
      ["voiceNames=current|outdated", "how avatars show a voice that was renamed"],
      ["sandboxPersona=required|optional", "voice and language in the sandbox"],
      ["secretTypes=LLMPROVIDER_API_KEY,VOICEPROVIDER_API_KEY", "secret types it accepts"],
    ],
  },
];
