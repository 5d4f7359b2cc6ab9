/*
 * Node's own files for Linux need libatomic, which neither Debian nor Ubuntu nor any of the usual images has, for one
 * function, which V8 calls with 8 bytes only (see `objdump -d`). Here they are given that function, and lose their symbols, a
 * quarter of their size. https://github.com/nodejs/node/issues/60790 would end this.
 */

const library = "libatomic.so.1";
const wanted = "__atomic_compare_exchange";

/** Tags of the dynamic section: DT_VERNEED and DT_VERNEEDNUM. */
const [versionsAt, versionsCount] = [0x6ffffffe, 0x6fffffff];

/** By the machine in the header: the type of a relocation that needs no symbol, and the function as assembled, with its source. */
const machines: Readonly<Record<number, { relative: number; code: Buffer }>> = {
  62: {
    relative: 8, // R_X86_64_RELATIVE
    code: hex(
      "4883ff08 7517", //     cmp $8, %rdi; jne trap
      "488b02 4c8b01", //     mov (%rdx), %rax; mov (%rcx), %r8
      "f04c0fb106", //        lock cmpxchg %r8, (%rsi)
      "0f94c1 7403 488902", // sete %cl; je done; mov %rax, (%rdx)
      "0fb6c1 c3", //         done: movzbl %cl, %eax; ret
      "0f0b", //              trap: ud2
    ),
  },
  183: {
    relative: 1027, // R_AARCH64_RELATIVE
    code: hex(
      "1f2000f1 c1010054", // cmp x0, #8; b.ne trap
      "450040f9 660040f9", // ldr x5, [x2]; ldr x6, [x3]
      "27fc5fc8 ff0005eb", // again: ldaxr x7, [x1]; cmp x7, x5
      "a1000054 26fc08c8", // b.ne differs; stlxr w8, x6, [x1]
      "88ffff35", //          cbnz w8, again
      "20008052 c0035fd6", // mov w0, #1; ret
      "5f3f03d5 470000f9", // differs: clrex; str x7, [x2]
      "00008052 c0035fd6", // mov w0, #0; ret
      "200020d4", //          trap: brk #1
    ),
  },
};

/** The same program without libatomic and without symbols. @throws Error if Node is built in another way than it was. */
export function withoutLibatomic(program: Buffer): Buffer {
  const at = new DataView(program.buffer, program.byteOffset, program.byteLength);
  const number = (offset: number) => Number(at.getBigUint64(offset, true));
  const put = (offset: number, value: number) => at.setBigUint64(offset, BigInt(value), true);
  const need = <Found>(found: Found | undefined, what: string): Found => {
    if (found === undefined) throw new Error(`This Node has no ${what}: look at how it is built now.`);
    return found;
  };
  const { relative, code } = need(machines[at.getUint16(18, true)], "machine that we know");
  const segments = Array.from({ length: at.getUint16(56, true) }, (_, index) => {
    const head = number(32) + index * at.getUint16(54, true);
    const [type, flags] = [at.getUint32(head, true), at.getUint32(head + 4, true)];
    return { type, flags, offset: number(head + 8), address: number(head + 16), size: number(head + 32) };
  });
  const loaded = segments.filter(({ type }) => type === 1);
  const offsetAt = (address: number) => {
    const holds = loaded.find((one) => address >= one.address && address < one.address + one.size);
    const { offset, address: start } = need(holds, "segment there");
    return address - start + offset;
  };

  const { offset: dynamic, size } = need(
    segments.find(({ type }) => type === 2),
    "dynamic section",
  );
  const entries = Array.from({ length: size / 16 }, (_, index) => dynamic + index * 16);
  const entryOf = (tag: number) =>
    need(
      entries.find((entry) => number(entry) === tag),
      `dynamic entry ${tag}`,
    );
  const valueIn = (tag: number) => number(entryOf(tag) + 8);
  const strings = offsetAt(valueIn(5));
  const text = (offset: number) =>
    program.toString("latin1", strings + offset, program.indexOf(0, strings + offset));

  // The library: one entry less, and what follows moves up.
  const unneeded = need(
    entries.findIndex((entry) => number(entry) === 1 && text(number(entry + 8)) === library),
    library,
  );
  const end = dynamic + size;
  program.copyWithin(dynamic + unneeded * 16, dynamic + unneeded * 16 + 16, end).fill(0, end - 16, end);

  // The versions of its symbols: a list in which each library says how far it is to the next.
  let versions = offsetAt(valueIn(versionsAt));
  let skip = (distance: number) => put(entryOf(versionsAt) + 8, valueIn(versionsAt) + distance);
  while (text(at.getUint32(versions + 4, true)) !== library) {
    const [one, distance] = [versions, need(at.getUint32(versions + 12, true) || undefined, library)];
    skip = (further) => at.setUint32(one + 12, further && distance + further, true);
    versions += distance;
  }
  skip(at.getUint32(versions + 12, true));
  put(entryOf(versionsCount) + 8, valueIn(versionsCount) - 1);

  // The function: behind the jumps to other libraries, where pages are filled up with zeros.
  const {
    offset,
    address,
    size: length,
  } = need(
    loaded.find(({ flags }) => flags & 1),
    "code",
  );
  const gap = program.indexOf(Buffer.alloc(1024), offset);
  const place = Math.ceil(gap / 16) * 16 + 64;
  if (gap < 0 || place > offset + length) throw new Error("This Node has no room for a function.");
  code.copy(program, place);

  // Its address is written where the loader would have written that of the library's.
  const relocations = offsetAt(valueIn(23));
  const symbols = offsetAt(valueIn(6));
  const named = Array.from({ length: valueIn(2) / 24 }, (_, index) => relocations + index * 24).filter(
    (one) => text(at.getUint32(symbols + at.getUint32(one + 12, true) * 24, true)) === wanted,
  );
  if (named.length !== 1) throw new Error(`This Node has ${named.length} relocations of ${wanted}.`);
  put(need(named[0], wanted) + 8, relative);
  put(need(named[0], wanted) + 16, address + place - offset);

  // No section headers; behind the last segment there is nothing else but symbols.
  put(40, 0);
  program.fill(0, 58, 64);
  return program.subarray(0, Math.max(...loaded.map((one) => one.offset + one.size)));
}

function hex(...lines: readonly string[]): Buffer {
  return Buffer.from(lines.join("").replaceAll(" ", ""), "hex");
}
