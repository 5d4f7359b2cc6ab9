/** Looks for seeds whose lives break a promise: `npx tsx test/simulator/main.ts --from 1 --lives 10000`. */
import { parseArgs } from "node:util";
import { fingerprintCost } from "../../src/core/secrets/fingerprint.js";
import { generateLife } from "./generate.js";
import { live } from "./run-life.js";

const { values } = parseArgs({
  options: {
    from: { type: "string", default: "1" },
    lives: { type: "string", default: "1000" },
    seed: { type: "string" },
    show: { type: "string", default: "5" },
  },
});

async function main(): Promise<void> {
  fingerprintCost.log2N = 1;
  Error.stackTraceLimit = 0;
  if (values.seed !== undefined) {
    Error.stackTraceLimit = 30;
    const life = generateLife(Number(values.seed));
    console.log(JSON.stringify(life, undefined, 1));
    const { violations, world } = await live(life, { isTraced: true });
    for (const { atMs, what } of world.happenings)
      console.log(`${(atMs / 1000).toFixed(3).padStart(9)} ${what}`);
    console.log(violations);
    return;
  }
  const from = Number(values.from);
  const rules = new Map<string, number[]>();
  const began = process.cpuUsage();
  let events = 0;
  for (let seed = from; seed < from + Number(values.lives); seed++) {
    const { violations, world } = await live(generateLife(seed));
    events += world.timeline.count;
    for (const { rule } of violations) rules.set(rule, [...(rules.get(rule) ?? []), seed]);
  }
  const { user, system } = process.cpuUsage(began);
  console.log(
    `${(user + system) / 1000 / Number(values.lives)} ms a life, ${events / Number(values.lives)} events`,
  );
  for (const [rule, seeds] of rules)
    console.log(
      rule,
      new Set(seeds).size,
      "lives:",
      [...new Set(seeds)].slice(0, Number(values.show)).join(" "),
    );
}

await main();
