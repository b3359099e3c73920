import { createHash } from "node:crypto";
import sha256 from "./sha256-module.json" with { type: "json" };

/** Where the module has its state and expects the text; see `scripts/sha256-module.ts`. */
const [STATE, INPUT] = [512, 1024];
const MAX_SHORT_BYTES = 16 * 1024;
const BLOCK_BYTES = 64;
const FIRST_STATE = [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19];

interface Sha256 {
  readonly hash: (start: number, end: number) => void;
  readonly memory: { readonly buffer: ArrayBuffer };
}
/** Missing in a Node that was started with --jitless. */
const { WebAssembly: assembly } = globalThis as {
  readonly WebAssembly?: {
    readonly Module: new (bytes: Uint8Array) => object;
    readonly Instance: new (module: object) => { readonly exports: unknown };
  };
};
let loadedSha256: Sha256 | undefined;

/** SHA-256 in hexadecimal. Short texts do without `node:crypto`, which takes milliseconds to load. */
export function hashText(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length > MAX_SHORT_BYTES || assembly === undefined) return createHash("sha256").update(bytes).digest("hex");
  loadedSha256 ??= new assembly.Instance(new assembly.Module(Buffer.from(sha256.base64, "base64"))).exports as Sha256;
  const { hash, memory } = loadedSha256;
  const length = Math.ceil((bytes.length + 9) / BLOCK_BYTES) * BLOCK_BYTES;
  const input = new Uint8Array(memory.buffer, INPUT, length);
  input.set(bytes);
  input.fill(0, bytes.length).fill(0x80, bytes.length, bytes.length + 1);
  new DataView(memory.buffer).setUint32(INPUT + length - 4, bytes.length * 8);
  const state = new Uint32Array(memory.buffer, STATE, FIRST_STATE.length);
  state.set(FIRST_STATE);
  hash(INPUT, INPUT + length);
  return Array.from(state, (word) => word.toString(16).padStart(8, "0")).join("");
}
