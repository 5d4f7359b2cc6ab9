/** What the service stores for one account, as plain data (§2). Lists are in the order of creation. */
export interface Dataset {
  avatars: Avatar[];
  voices: Voice[];
  contexts: Context[];
  secrets: Secret[];
  sessions: Session[];
}

/** Times are ISO 8601 in UTC with milliseconds; the answer may show more or fewer digits. */
interface Dated {
  id: string;
  created_at: string;
  updated_at: string;
}

/** §2.3 */
export interface Avatar extends Dated {
  name: string;
  status: string;
  error_message: string;
  space_id: string;
  preview_url: string;
  is_expired: boolean;
  default_voice: { id: string; name: string } | null;
}

/** §2.4 */
export interface Voice extends Dated {
  name: string;
  language: string;
  gender: string;
  tags: string[];
  description: string;
}

/** §2.5 */
export interface Context extends Dated {
  name: string;
  prompt: string;
  opening_text: string;
  links: Link[];
}

export interface Link {
  id: string;
  url: string;
  faq: string;
}

/** §2.6. The value is not part of the world: it would end up in the data file. */
export interface Secret {
  id: string;
  secret_name: string;
  secret_type: string;
  created_at: string;
}

/** §2.7. Active while `ended_at` is null. Assumed: durations are seconds (§2.7 and §4.5 show no unit). */
export interface Session extends Dated {
  avatar_id: string;
  source: string;
  mode: string;
  is_sandbox: boolean;
  max_session_duration: number;
  duration: number;
  credits_consumed: number;
  ended_at: string | null;
  end_reason: string;
}

/** An account in which nothing was made yet. */
export function emptyDataset(): Dataset {
  return { avatars: [], voices: [], contexts: [], secrets: [], sessions: [] };
}

export interface DatasetSize {
  avatars?: number;
  voices?: number;
  contexts?: number;
  sessions?: number;
  /** The prompt of the i-th context, from 0. */
  prompt?: (i: number) => string;
  /** When the first object was made; each later one is a second younger. */
  firstCreatedAtMs?: number;
}

/** A world of a wanted size with fixed ids, for tests and measurements: "Context 1", "Avatar 1" and so on. */
export function generateDataset(size: DatasetSize): Dataset {
  const { prompt = (i: number) => `Prompt ${i + 1}`, firstCreatedAtMs = Date.UTC(2025, 0, 1) } = size;
  const many = <T>(count = 0, make: (i: number) => T) => Array.from({ length: count }, (_, i) => make(i));
  const dated = (kind: number, i: number): Dated => {
    const at = new Date(firstCreatedAtMs + i * 1000).toISOString();
    return { id: idOf(kind, i), created_at: at, updated_at: at };
  };
  const voices = many(size.voices, (i) => ({ ...dated(2, i), ...newVoice, name: `Voice ${i + 1}` }));
  return {
    voices,
    avatars: many(size.avatars, (i) => {
      const voice = voices[i % Math.max(1, voices.length)];
      const default_voice = voice ? { id: voice.id, name: voice.name } : null;
      return { ...dated(1, i), ...newAvatar, name: `Avatar ${i + 1}`, default_voice };
    }),
    contexts: many(size.contexts, (i) => ({
      ...dated(3, i),
      ...newContext(),
      name: `Context ${i + 1}`,
      prompt: prompt(i),
    })),
    secrets: [],
    sessions: many(size.sessions, (i) => ({ ...dated(4, i), ...newSession, avatar_id: idOf(1, 0) })),
  };
}

/** A readable id that says what it belongs to: `10000000-0000-4000-8000-00000000002a` is avatar 42. */
function idOf(kind: number, i: number): string {
  return `${kind}0000000-0000-4000-8000-${i.toString(16).padStart(12, "0")}`;
}

export const newAvatar = {
  status: "ACTIVE",
  error_message: "",
  space_id: "",
  preview_url: "",
  is_expired: false,
  default_voice: null,
};

const newVoice = { language: "en", gender: "female", tags: [], description: "" };

export const newContext = () => ({ prompt: "", opening_text: "", links: [] as Link[] });

export const newSession = {
  source: "API",
  mode: "FULL",
  is_sandbox: false,
  max_session_duration: 600,
  duration: 0,
  credits_consumed: 0,
  ended_at: null,
  end_reason: "",
};
