/*
 * Adds glibc, libstdc++ and libatomic to Node, so that one file starts on every Linux, including Alpine, older systems
 * and empty images. The kernel maps the loader together with the program, and `start.c` passes the program to the
 * loader as the kernel would. See elf(5), ld.so(8) and getauxval(3).
 */

/** ELF files that are added to a Linux program. */
export interface LinuxParts {
  /** Compiled `start.c`. */
  readonly start: Buffer;
  readonly loader: Buffer;
  /** Libraries by file name, such as `libm.so.6`. */
  readonly libraries: ReadonlyMap<string, Buffer>;
}

/** Addresses refer to memory, and offsets to the file. */
interface Segment {
  readonly type: number;
  readonly flags: number;
  readonly offset: number;
  readonly address: number;
  readonly size: number;
  readonly memorySize: number;
  readonly align: number;
}

/** Segment types. */
const [LOAD, DYNAMIC, HEADERS, STACK] = [1, 2, 6, 0x6474e551];
/** Segment flags. */
const READ_AND_RUN = 5;
/** Tags of the dynamic section. */
const [NEEDED, STRINGS, VERSIONS] = [1, 5, 0x6ffffffe];
/** Sizes of a segment header and of the table in `start.c`. */
const [headerSize, tableSize] = [56, 512];
/** Largest page size of Linux on arm64. */
const page = 0x10000;
/**
 * Descriptor of the first library. Scripts use descriptors below 10, shells use 255, and systems allow at least 256.
 */
const firstDescriptor = 100;

/** Removes the symbols, which reduces the size to a quarter. */
export function removeSymbols(program: Buffer): Buffer {
  // Drops the section table in the header, and everything after the last segment.
  program.fill(0, 40, 48).fill(0, 58, 64);
  return program.subarray(0, Math.max(...findLoaded(program).map(({ offset, size }) => offset + size)));
}

/** Returns a program that needs no system libraries. @throws Error if a file has an unexpected layout */
export function addLibraries(program: Buffer, { start, loader, libraries }: LinuxParts): Buffer {
  const loaded = findLoaded(program);
  const offset = roundUp(Math.max(...loaded.map((one) => one.offset + one.size)), page);
  const address = roundUp(Math.max(...loaded.map((one) => one.address + one.memorySize)), page);

  // Adds a segment with the headers, the start code, the libraries, and the path of the file descriptor that the code
  // opens for each library.
  const parts: { readonly at: number; readonly bytes: Buffer }[] = [];
  let end = address;
  const add = (bytes: Buffer) => {
    const at = end;
    parts.push({ at, bytes });
    end = roundUp(at + bytes.length, 64);
    return at;
  };
  const headers = Buffer.alloc((loaded.length + findLoaded(loader).length + 2) * headerSize);
  add(headers);
  const begin = findSegment(start, LOAD);
  const code = Buffer.from(start.subarray(begin.offset, begin.offset + begin.size));
  const codeAt = add(code);
  const files = [...libraries].map(([name, bytes], index) => ({
    name,
    path: add(Buffer.from(`/proc/self/fd/${firstDescriptor + index}\0`)),
    where: [add(bytes), bytes.length],
  }));
  const carried = { type: LOAD, flags: READ_AND_RUN, offset, address, size: end - address };
  const distance = roundUp(end, page) - address;
  const all = [
    ...loaded,
    { ...carried, memorySize: carried.size, align: page },
    ...findLoaded(loader).map((one) => ({
      ...one,
      offset: offset + distance + one.offset,
      address: address + distance + one.address,
    })),
    findSegment(program, STACK),
  ];
  Buffer.concat(all.map(makeHeader)).copy(headers);
  const entry = readEntryAddress(start) - begin.address;
  const table = [
    codeAt + entry - tableSize,
    ...[findSegment(program, HEADERS).address, readSegments(program).length, readEntryAddress(program)],
    ...[address + distance, address + distance + readEntryAddress(loader)],
    ...[firstDescriptor, files.length, ...files.flatMap(({ where }) => where)],
  ];
  for (const [index, number] of table.entries())
    code.writeBigUInt64LE(BigInt(number), entry - tableSize + index * 8);

  rename(program, new Map(files.map(({ name, path }) => [name, path])));
  const joined = Buffer.alloc(offset + distance + loader.length);
  program.copy(joined, 0, 0, offset);
  for (const { at, bytes } of parts) bytes.copy(joined, offset + at - address);
  loader.copy(joined, offset + distance);
  joined.writeBigUInt64LE(BigInt(codeAt + entry), 24);
  joined.writeBigUInt64LE(BigInt(offset), 32);
  joined.writeUInt16LE(all.length, 56);
  return removeSymbols(joined);
}

/** Renames the libraries that a program needs. `names` contains the address of each new name. */
function rename(program: Buffer, names: ReadonlyMap<string, number>): void {
  const { offset, size } = findSegment(program, DYNAMIC);
  const entries = Array.from({ length: size / 16 }, (_, index) => offset + index * 16);
  const readValue = (tag: number) =>
    readNumber(program, (entries.find((entry) => readNumber(program, entry) === tag) ?? Number.NaN) + 8);
  const findOffset = (address: number) => {
    const holds = findLoaded(program).find(
      (one) => address >= one.address && address < one.address + one.size,
    );
    return holds ? holds.offset + address - holds.address : Number.NaN;
  };
  const strings = readValue(STRINGS);
  const readNewName = (at: number) => {
    const from = findOffset(strings + at);
    const name = program.toString("latin1", from, program.indexOf(0, from));
    const renamed = names.get(name);
    if (renamed === undefined && !name.startsWith("ld-linux"))
      throw new Error(`This Node needs ${name}. Add the library.`);
    return renamed === undefined ? at : renamed - strings;
  };
  for (const at of entries.filter((entry) => readNumber(program, entry) === NEEDED))
    program.writeBigUInt64LE(BigInt(readNewName(readNumber(program, at + 8))), at + 8);
  // The symbol versions form a linked list with one entry for each library.
  for (let at = findOffset(readValue(VERSIONS)), next = 1; next > 0; at += next) {
    program.writeUInt32LE(readNewName(program.readUInt32LE(at + 4)), at + 4);
    next = program.readUInt32LE(at + 12);
  }
}

function readSegments(file: Buffer): Segment[] {
  return Array.from({ length: file.readUInt16LE(56) }, (_, index) => {
    const head = readNumber(file, 32) + index * headerSize;
    const [offset = 0, address = 0, , size = 0, memorySize = 0, align = 0] = [8, 16, 24, 32, 40, 48].map(
      (at) => readNumber(file, head + at),
    );
    return {
      ...{ type: file.readUInt32LE(head), flags: file.readUInt32LE(head + 4) },
      ...{ offset, address, size, memorySize, align },
    };
  });
}

function findLoaded(file: Buffer): Segment[] {
  return readSegments(file).filter(({ type }) => type === LOAD);
}

function findSegment(file: Buffer, type: number): Segment {
  const found = readSegments(file).find((segment) => segment.type === type);
  if (!found) throw new Error(`A file has no segment of type ${type}. Check how it is built now.`);
  return found;
}

function makeHeader({ type, flags, offset, address, size, memorySize, align }: Segment): Buffer {
  const header = Buffer.alloc(headerSize);
  header.writeUInt32LE(type, 0);
  header.writeUInt32LE(flags, 4);
  for (const [index, number] of [offset, address, address, size, memorySize, align].entries())
    header.writeBigUInt64LE(BigInt(number), 8 + index * 8);
  return header;
}

function readEntryAddress(file: Buffer): number {
  return readNumber(file, 24);
}

function readNumber(file: Buffer, at: number): number {
  return Number(file.readBigUInt64LE(at));
}

function roundUp(size: number, unit: number): number {
  return Math.ceil(size / unit) * unit;
}
