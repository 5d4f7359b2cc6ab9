import { problemsIn } from "../../kinds/index.js";
import { type NoticeEvent, type NoticeFormat, noticeTargetForm } from "../forms/notify-form.js";
import { type Entry, isNothing } from "../tree/node.js";
import type { Reading } from "../tree/reading.js";
import type { NoticeTarget } from "./manifest.js";
import { readRecord } from "./values.js";

const keys = { url: "source-only", secret: "source-only" } as const;

/** Reads `notify:`; reports what is wrong and leaves it out. */
export function readNotify(entry: Entry | undefined, reading: Reading): readonly NoticeTarget[] {
  if (!entry || isNothing(entry.value) || entry.value.broken) return [];
  const { value } = entry;
  if (value.is !== "list" || value.tag) {
    const hint = "write its entries under it, each as `- url: !env NAME`";
    reading.collector.error("wrong-type", "notify must be a list", value, hint);
    return [];
  }
  return value.items.flatMap((item, i): NoticeTarget[] => {
    const validate = (subject: string, values: unknown) => problemsIn(noticeTargetForm, subject, values);
    const record = readRecord(item, item, `notify[${i}]`, keys, validate, reading);
    const { url, secret } = record?.sources ?? {};
    if (!record || !url) return [];
    const { format = "standard", events } = record.values as {
      readonly format?: NoticeFormat;
      readonly events?: readonly NoticeEvent[];
    };
    return [{ url, secret, format, events }];
  });
}
