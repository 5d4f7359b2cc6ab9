import type { Timestamp } from "../protocol/messages.js";
import type { Draft } from "../protocol/protobuf.js";

/** A time for the wire. */
export function encodeTimestamp(time: Date | undefined): Draft<typeof Timestamp> | undefined {
  if (!time) return undefined;
  const ms = time.getTime();
  const seconds = Math.floor(ms / 1000);
  return { seconds, nanos: (ms - seconds * 1000) * 1_000_000 };
}
