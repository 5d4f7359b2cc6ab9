/**
 * Searches for simulated lives that violate an invariant, or shows one:
 *
 *     npm run simulate -- --lives 10000 --from 1
 *     npm run simulate -- --without "waiting for creates of an interrupted run" --first
 *     npm run simulate -- --seed 1701
 *
 * `--first` stops at the first violation. `--without` disables a rule in knock-outs.ts. `--seed` shows one life,
 * reduced to its minimum unless `--whole` is set.
 */
import { readOptions } from "../../scripts/options.js";
import { describeLife } from "./describe-life.js";
import { generateLife } from "./generate.js";
import { reduce } from "./reduce.js";
import { live } from "./run-life.js";

const usage =
  "npm run simulate -- [--lives N] [--from N] [--first] [--without RULE], or --seed N [--whole] [--json]";
const { values } = readOptions(usage, {
  options: {
    from: { type: "string", default: "1" },
    lives: { type: "string", default: "1000" },
    seed: { type: "string" },
    whole: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    first: { type: "boolean", default: false },
    without: { type: "string" },
  },
});

Object.assign(globalThis, { takenOut: values.without });

await (values.seed === undefined
  ? search(Number(values.from), Number(values.lives))
  : show(Number(values.seed)));

async function search(from: number, lives: number): Promise<void> {
  const began = process.cpuUsage();
  let events = 0;
  let lived = 0;
  let broken = 0;
  for (let seed = from; seed < from + lives && !(values.first && broken > 0); seed++) {
    const { violations, world } = await live(generateLife(seed));
    events += world.timeline.count;
    lived++;
    if (violations.length > 0) broken++;
    for (const rule of new Set(violations.map((violation) => violation.rule)))
      console.log(
        `seed ${seed}: ${rule}: ${violations.find((one) => one.rule === rule)?.what.slice(0, 300)}`,
      );
  }
  const { user, system } = process.cpuUsage(began);
  const perLife = ((user + system) / 1_000 / lived).toFixed(1);
  console.log(
    `${lived} lives, ${broken} broken; ${perLife} ms and ${Math.round(events / lived)} events each`,
  );
  if (broken > 0) process.exitCode = 1;
}

async function show(seed: number): Promise<void> {
  const life = generateLife(seed);
  const [violation] = (await live(life)).violations;
  const shown = violation && !values.whole ? await reduce(life, violation.rule) : life;
  console.log(
    values.json ? JSON.stringify(shown) : describeLife(shown, await live(shown, { isTraced: true })),
  );
}
