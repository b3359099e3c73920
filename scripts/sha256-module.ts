/**
 * Assembles SHA-256 as a small WebAssembly module. Loading `node:crypto` costs a seventh of Node's own start. The same
 * loop in JavaScript costs as much: a process cannot end while V8 is still optimising it.
 *
 * Memory: 0 constants, 256 message schedule, 512 state. The caller puts the state and the padded text there and calls
 * `hash(start, end)`.
 */
type Code = readonly number[];

const [SCHEDULE, STATE] = [256, 512];
/** The local variables: two parameters, a byte offset, the eight words of the state, two sums. */
const [START, END, AT, A, B, C, D, E, F, G, H, SUM, MAJORITY] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] as const;
const WORDS = [A, B, C, D, E, F, G, H];

const encodeUnsigned = (n: number): number[] => (n < 128 ? [n] : [(n & 127) | 128, ...encodeUnsigned(n >>> 7)]);
function encodeSigned(n: number): number[] {
  const isLast = n >= -64 && n < 64;
  return isLast ? [n & 127] : [(n & 127) | 128, ...encodeSigned(n >> 7)];
}
const get = (local: number): Code => [0x20, local];
const set = (local: number, value: Code): Code => [...value, 0x21, local];
const number = (n: number): Code => [0x41, ...encodeSigned(n | 0)];
const load = (from: Code, offset: number): Code => [...from, 0x28, 2, ...encodeUnsigned(offset)];
const store = (to: Code, offset: number, value: Code): Code => [...to, ...value, 0x36, 2, ...encodeUnsigned(offset)];
const join = (operator: number, [first = [], ...rest]: readonly Code[]): Code =>
  rest.reduce((all, each) => [...all, ...each, operator], first);
const add = (...all: Code[]): Code => join(0x6a, all);
const and = (...all: Code[]): Code => join(0x71, all);
const xor = (...all: Code[]): Code => join(0x73, all);
const rotateLeft = (value: Code, by: number): Code => [...value, ...number(by), 0x77];
const rotateRight = (value: Code, by: number): Code => [...value, ...number(by), 0x78];
const shiftRight = (value: Code, by: number): Code => [...value, ...number(by), 0x76];
/** Repeats `body` while `local`, advanced by `step`, is below `limit`. */
const loop = (local: number, step: number, limit: Code, body: readonly Code[]): Code => [
  0x03,
  0x40,
  ...body.flat(),
  ...set(local, add(get(local), number(step))),
  ...get(local),
  ...limit,
  0x49,
  0x0d,
  0,
  0x0b,
];

const mixWord = (word: Code, first: number, second: number, shifted: number): Code =>
  xor(rotateRight(word, first), rotateRight(word, second), shiftRight(word, shifted));
const mixState = (local: number, ...turns: number[]): Code => xor(...turns.map((by) => rotateRight(get(local), by)));

/** The text has its most significant byte first, memory its least. */
const swapBytes = (word: Code): Code =>
  xor(rotateLeft(and(word, number(0xff00ff00)), 8), rotateRight(and(word, number(0x00ff00ff)), 8));

const loadScheduled = (back: number): Code => load(get(AT), SCHEDULE - 4 * back);

const HASH_BODY: Code = loop(START, 64, get(END), [
  set(AT, number(0)),
  loop(AT, 4, number(64), [store(get(AT), SCHEDULE, swapBytes(load(add(get(START), get(AT)), 0)))]),
  loop(AT, 4, number(256), [
    store(
      get(AT),
      SCHEDULE,
      add(
        loadScheduled(16),
        loadScheduled(7),
        mixWord(loadScheduled(15), 7, 18, 3),
        mixWord(loadScheduled(2), 17, 19, 10),
      ),
    ),
  ]),
  ...WORDS.map((word, i) => set(word, load(number(0), STATE + 4 * i))),
  set(AT, number(0)),
  loop(AT, 4, number(256), [
    set(
      SUM,
      add(
        get(H),
        mixState(E, 6, 11, 25),
        xor(and(get(E), get(F)), and(xor(get(E), number(-1)), get(G))),
        load(get(AT), 0),
        load(get(AT), SCHEDULE),
      ),
    ),
    set(MAJORITY, add(mixState(A, 2, 13, 22), xor(and(get(A), get(B)), and(get(A), get(C)), and(get(B), get(C))))),
    set(H, get(G)),
    set(G, get(F)),
    set(F, get(E)),
    set(E, add(get(D), get(SUM))),
    set(D, get(C)),
    set(C, get(B)),
    set(B, get(A)),
    set(A, add(get(SUM), get(MAJORITY))),
  ]),
  ...WORDS.map((word, i) => store(number(0), STATE + 4 * i, add(load(number(0), STATE + 4 * i), get(word)))),
]);

const prefixSize = (bytes: Code): Code => [...encodeUnsigned(bytes.length), ...bytes];
const section = (id: number, ...entries: Code[]): Code => [id, ...prefixSize([entries.length, ...entries.flat()])];
const text = (word: string): Code => prefixSize([...Buffer.from(word)]);

/** The first 32 bits of the fraction of a root of the first 64 primes. */
function createConstants(): Code {
  const primes = Array.from({ length: 312 }, (_, n) => n).filter(
    (n) => n > 1 && !Array.from({ length: n }, (_, i) => i).some((i) => i > 1 && n % i === 0),
  );
  const words = Uint32Array.from(primes, (prime) => (Math.cbrt(prime) % 1) * 2 ** 32);
  return [...new Uint8Array(words.buffer)];
}

const MAGIC: Code = [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
const I32 = 0x7f;
const LOCALS = MAJORITY - END;

export function createSha256Module(): Record<string, string> {
  const module = [
    ...MAGIC,
    ...section(1, [0x60, 2, I32, I32, 0]),
    ...section(3, [0]),
    ...section(5, [0, 1]),
    ...section(7, [...text("hash"), 0, 0], [...text("memory"), 2, 0]),
    ...section(10, prefixSize([1, LOCALS, I32, ...HASH_BODY, 0x0b])),
    ...section(11, [0, ...number(0), 0x0b, ...prefixSize(createConstants())]),
  ];
  return {
    "src/kernel/adapters/sha256-module.json": `${JSON.stringify({ base64: Buffer.from(module).toString("base64") })}\n`,
  };
}
