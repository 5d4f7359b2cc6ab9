// Seeufer, a bicycle maker on Lake Constance: one avatar at the reception and one in the workshop.
// The same project as ../yaml. `avatarops plan` shows the changes, `avatarops apply` applies them to the account.
import { Avatar, Context, env, Preset, Project, promptFile, Secret, Voice } from "avatarops";
import { createPageLink } from "./pages.js";

const project = new Project({
  service: { baseUrl: env("AVATAROPS_BASE_URL"), apiKey: env("AVATAROPS_API_KEY"), requestsPerSecond: 5 },
  state: ".avatarops/state.json",
  drift: "refuse", // shows dashboard edits, and never overwrites them silently

  // `--env` selects an environment. Its values override the project's key by key.
  environments: {
    staging: {
      service: { requestsPerSecond: 1 },
      state: ".avatarops/staging.json",
      drift: "overwrite",
      contexts: { "support-desk": { name: "Support desk (staging)" } },
      secrets: { llm: { secretName: "llm-staging", secretValue: env("LLM_API_KEY_STAGING") } },
    },
  },
});

const reception = new Avatar(project, "reception", {
  id: "a03779b1-9e37-4a1b-9c2d-5ee0fe120000",
  name: "Reception Lindau",
});
new Avatar(project, "workshop", { id: "a06ef362-3c6e-4a1b-9c2d-5ee0fe120001", name: "Werkstatt" });

const mara = new Voice(project, "mara", { id: "403779b1-9e37-4a1b-9c2d-5ee0fe120000", name: "Mara" });
new Voice(project, "joerg", { id: "406ef362-3c6e-4a1b-9c2d-5ee0fe120001", name: "Jörg (ruhig)" });

// `${customer_name}` is a placeholder for the service and is sent unchanged. Use quotes, not backticks.
new Context(project, "fleet-advisor", {
  name: "Fleet advisor",
  prompt: promptFile("prompts/fleet-advisor.md"),
  openingText: "Good to meet you. How many people would ride?",
  links: [
    createPageLink("fleets", "Bicycles for companies, clinics and town halls"),
    createPageLink("leasing", "How leasing through an employer works"),
    createPageLink("warranty", "Warranty: frames five years, electrics two"),
  ],
});
const supportDesk = new Context(project, "support-desk", {
  name: "Support desk",
  prompt: promptFile("prompts/support-desk.md"),
  openingText: "Hi ${customer_name}, what can I help with?",
  links: [
    createPageLink("warranty", "Warranty: frames five years, electrics two"),
    createPageLink("returns", "Returns within 30 days"),
  ],
});
new Context(project, "werkstattannahme", {
  name: "Werkstattannahme",
  prompt: promptFile("prompts/werkstattannahme.md"),
  openingText: "Servus ${customer_name}! Was darf die Werkstatt für dich tun?",
  links: [createPageLink("opening-hours", "Öffnungszeiten und Feiertage")],
});

new Secret(project, "llm", {
  secretName: "llm-production",
  secretType: "LLMPROVIDER_API_KEY",
  secretValue: env("LLM_API_KEY"),
});

// Session settings for `avatarops token`.
new Preset(project, "reception-kiosk", {
  avatar: reception,
  mode: "FULL",
  interactivityType: "CONVERSATIONAL",
  maxSessionDuration: 600,
  videoSettings: { quality: "high", encoding: "H264" },
  persona: {
    voice: mara,
    context: supportDesk,
    language: "en",
    voiceSettings: { speed: 1.0, stability: 0.6 },
  },
});

export default project;
