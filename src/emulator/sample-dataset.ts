import type { Dated } from "./account.js";
import type { Avatar } from "./avatars.js";
import type { Context } from "./contexts.js";
import { type Dataset, emptyDataset } from "./dataset.js";
import { samplePrompts } from "./sample-prompts.js";
import { newSession, type Session, sandboxAvatarId } from "./sessions.js";

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** A believable account of a small company, always the same but for its times, which lie before `nowMs`. */
export function sampleDataset(nowMs: number): Dataset {
  const daysAgo = (days: number) => new Date(nowMs - days * dayMs).toISOString();
  return {
    ...emptyDataset(),
    avatars: avatars(daysAgo),
    voices: voices.map(([name, language, gender, tags], i) => ({
      id: voiceId(i),
      name,
      language,
      gender,
      tags,
      description: `${name}, recorded in our own studio`,
      created_at: daysAgo(200 - i),
      updated_at: daysAgo(90 - i),
    })),
    contexts: contexts(daysAgo),
    sessions: [...historicSessions(nowMs), ...activeSessions(nowMs)],
  };
}

const voices: [name: string, language: string, gender: string, tags: string[]][] = [
  ["Mara", "en", "female", ["warm", "support"]],
  ["Jörg", "de", "male", ["calm"]],
  ["Aurélie", "fr", "female", ["formal"]],
  ["Harbour", "en", "male", []],
];

function avatars(daysAgo: (days: number) => string): Avatar[] {
  const made = (i: number, fields: Partial<Avatar> & { name: string }): Avatar => ({
    ...newAvatar,
    id: avatarId(i),
    preview_url: `https://media.example.com/previews/${avatarId(i)}.webp`,
    space_id: "space-lindau",
    created_at: daysAgo(180 - 20 * i),
    updated_at: daysAgo(40 - 5 * i),
    ...fields,
  });
  const spokenBy = (i: number) => ({ id: voiceId(i), name: voices[i]?.[0] ?? "" });
  return [
    made(0, { name: "Front desk", default_voice: spokenBy(0) }),
    made(1, { name: "Werkstatt", default_voice: spokenBy(1) }),
    made(2, { name: "Accueil", default_voice: spokenBy(2) }),
    made(3, { name: "Harbour kiosk", default_voice: spokenBy(3) }),
    made(4, { name: "Trade fair host", status: "INIT", preview_url: "" }),
    made(5, { id: sandboxAvatarId, name: "Sandbox", space_id: "", default_voice: spokenBy(0) }),
  ];
}

function contexts(daysAgo: (days: number) => string): Context[] {
  return samplePrompts.map((written, i) => ({
    ...written,
    id: idOf("c0", i),
    created_at: daysAgo(150 - 10 * i),
    updated_at: daysAgo(30 - 3 * i),
    links: links.slice(0, i % 4).map((link, j) => ({ id: idOf("11", 10 * i + j), ...link })),
  }));
}

const links = [
  { url: "https://seeufer.example.com/warranty", faq: "Warranty: frames five years, electrics two" },
  { url: "https://seeufer.example.com/opening-hours", faq: "Öffnungszeiten und Feiertage" },
  { url: "https://seeufer.example.com/returns", faq: "Returns within 30 days" },
];

const sources = ["API", "EMBED", "APP", "DEMO"];

function historicSessions(nowMs: number): Session[] {
  return Array.from({ length: 45 }, (_, i) => {
    const is_sandbox = i % 6 === 5;
    const duration = is_sandbox ? 60 : 45 + ((i * 97) % 540);
    const startMs = nowMs - 30 * dayMs + i * 15 * 60 * minuteMs;
    const ended_at = new Date(startMs + duration * 1000).toISOString();
    const mode = i % 9 === 4 ? "LITE" : "FULL";
    return {
      ...newSession,
      ...sessionAt(i, startMs),
      avatar_id: is_sandbox ? sandboxAvatarId : avatarId(i % 4),
      // One value the document does not name: enumerations grow.
      source: i === 17 ? "PHONE" : (sources[i % sources.length] ?? "API"),
      mode,
      is_sandbox,
      duration,
      credits_consumed: is_sandbox ? 0 : Math.ceil(duration / 60) * (mode === "FULL" ? 2 : 1),
      updated_at: ended_at,
      ended_at,
      end_reason: is_sandbox ? "TIME_LIMIT" : "CLIENT_DISCONNECTED",
    };
  });
}

function activeSessions(nowMs: number): Session[] {
  return Array.from({ length: 4 }, (_, i) => ({
    ...newSession,
    ...sessionAt(45 + i, nowMs - (4 - i) * minuteMs),
    avatar_id: avatarId(i),
    source: sources[i] ?? "API",
    max_session_duration: 1800,
  }));
}

function sessionAt(i: number, startMs: number) {
  const created_at = new Date(startMs).toISOString();
  return { id: idOf("5e", i), created_at, updated_at: created_at };
}

function avatarId(i: number): string {
  return idOf("a0", i);
}

function voiceId(i: number): string {
  return idOf("40", i);
}

/** Fixed and unlike one another, as ids of the service are; the first two digits say what it is. */
function idOf(kind: string, i: number): string {
  const digits = ((i + 1) * 0x9e3779b1) % 0x100000000;
  const head = digits.toString(16).padStart(8, "0");
  return `${kind}${head.slice(2)}-${head.slice(0, 4)}-4a1b-9c2d-5ee0fe12${i.toString(16).padStart(4, "0")}`;
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
    return { id: generatedId(kind, i), created_at: at, updated_at: at };
  };
  const voices = many(size.voices, (i) => ({ ...dated(2, i), ...newVoice, name: `Voice ${i + 1}` }));
  return {
    ...emptyDataset(),
    voices,
    avatars: many(size.avatars, (i) => {
      const voice = voices[i % Math.max(1, voices.length)];
      const default_voice = voice ? { id: voice.id, name: voice.name } : null;
      return { ...dated(1, i), ...newAvatar, name: `Avatar ${i + 1}`, default_voice };
    }),
    contexts: many(size.contexts, (i) => ({
      ...dated(3, i),
      ...{ opening_text: "", links: [] },
      name: `Context ${i + 1}`,
      prompt: prompt(i),
    })),
    sessions: many(size.sessions, (i) => ({ ...dated(4, i), ...newSession, avatar_id: generatedId(1, 0) })),
  };
}

/** A readable id that says what it belongs to: `10000000-0000-4000-8000-00000000002a` is avatar 42. */
function generatedId(kind: number, i: number): string {
  return `${kind}0000000-0000-4000-8000-${i.toString(16).padStart(12, "0")}`;
}

const newAvatar = {
  status: "ACTIVE",
  error_message: "",
  space_id: "",
  preview_url: "",
  is_expired: false,
  default_voice: null,
};

const newVoice = { language: "en", gender: "female", tags: [], description: "" };
