// Preloaded module that loops forever on the first JSON text that contains AVATAROPS_TEST_BUSY_AT.
import { writeSync } from "node:fs";

const { parse } = JSON;
JSON.parse = (text, ...rest) => {
  if (String(text).includes(process.env.AVATAROPS_TEST_BUSY_AT)) {
    writeSync(2, "computing\n");
    for (;;);
  }
  return parse(text, ...rest);
};
