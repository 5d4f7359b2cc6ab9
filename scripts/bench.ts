/**
 * Measures requests, memory, time, and how close avatarops gets to a service's rate limit, as tables. Results never
 * fail the run. `npm run bench -- requests start-up` runs only these sections.
 */
import { costOfFirstApply } from "./bench/first-apply.js";
import { growthOfTime } from "./bench/growth.js";
import { costOfLayouts } from "./bench/layouts.js";
import { costOfPlanning } from "./bench/planning.js";
import { providerStart } from "./bench/provider-start.js";
import { rateOfApplying } from "./bench/rate.js";
import { waitsOfRecovery } from "./bench/recovery.js";
import { requestsOfPlanning } from "./bench/requests.js";
import { costOfSessions } from "./bench/sessions.js";
import { startUp } from "./bench/start-up.js";
import { costOfSynthesising } from "./bench/synth.js";
import { terraformCommands } from "./bench/terraform.js";
import { costOfTypeScript } from "./bench/typescript.js";
import { costOfTheWeek } from "./bench/week.js";

const sections: Readonly<Record<string, () => Promise<void>>> = {
  requests: requestsOfPlanning,
  planning: costOfPlanning,
  growth: growthOfTime,
  layouts: costOfLayouts,
  "start-up": startUp,
  rate: rateOfApplying,
  typescript: costOfTypeScript,
  synth: costOfSynthesising,
  "terraform-start": providerStart,
  terraform: terraformCommands,
  week: costOfTheWeek,
  "first-apply": costOfFirstApply,
  recovery: waitsOfRecovery,
  sessions: costOfSessions,
};

const wanted = process.argv.slice(2);
for (const name of wanted)
  if (!sections[name])
    throw new Error(`Unknown section ${name}. Use one of: ${Object.keys(sections).join(", ")}.`);
for (const [name, run] of Object.entries(sections)) {
  if (wanted.length === 0 || wanted.includes(name)) await run();
}
