import type { HelpSection } from "./command.js";

/** What `--fault` and `--behave` may be; a test holds it to what the emulator reads. */
export const emulateHelp: readonly HelpSection[] = [
  {
    title: 'Faults, as "METHOD PATH ACTION SETTING…"; METHOD and PATH may be *:',
    rows: [
      ["503", "any status: answered so, and not processed"],
      ["503-after", "answered so, but processed"],
      ["drop-before", "the connection closes, and nothing is processed"],
      ["drop-after", "the connection closes after it was processed"],
      ["cut", "half of the answer, or bytes=N of it"],
      ["malformed", "an answer of body=TEXT"],
      ["delay", "ms=N later; delay-after: the answer alone"],
      ["hang", "no answer at all; hang-after: it is processed"],
    ],
  },
  {
    title: "Settings of faults:",
    rows: [
      ["times=N", "how many requests are hit, or times=always (default: 1)"],
      ["skip=N", "how many are let through first"],
      ["contains=TEXT", "only requests with this in their body"],
      ["body=TEXT", "body of a status or malformed answer"],
      ["retry-after=TEXT", "header of a status answer"],
    ],
  },
  {
    title: "Behaviours, the default first:",
    rows: [
      ["successCode=100", "code of a successful answer"],
      ["links=replace|merge", "what an update does with the links it leaves out"],
      ["contextNames=unique|free", "whether two contexts may have one name"],
      ["nulls=false|true", "empty fields are null"],
      ["extraFields=false|true", "answers have fields that are not documented"],
      ["promptCutAt=off|65535", "prompts are cut at this length"],
      ["requireAllOnPatch=false|true", "updates must have name, prompt and opening_text"],
      ["errorBodies=envelope|envelope-list|detail", "form of a refusal"],
      ["rateLimitPerSecond=off|20", "requests of one key and endpoint"],
      ["rateLimitRetryAfter=true|false", "a 429 says how long to wait"],
      ["latencyMs=0|250", "how long every request takes at least"],
      ["listOrder=created|updated|shuffled", "order of lists"],
      ["nextStyle=url|marker|null|absent", "the next page in a list"],
      ["timestampPrecision=ms|us|s", "how fine times are"],
      ["secretTypes=LLMPROVIDER_API_KEY,VOICEPROVIDER_API_KEY", "secret types it accepts"],
    ],
  },
];
