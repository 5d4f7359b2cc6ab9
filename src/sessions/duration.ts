import type { DurationUnit } from "../manifest/index.js";

/** A duration of the service in seconds. Its unit is as configured; without that, it is taken for seconds (§2.7). */
export function durationSeconds(duration: number, unit: DurationUnit = "seconds"): number {
  if (unit === "milliseconds") return duration / 1_000;
  return unit === "minutes" ? duration * 60 : duration;
}
