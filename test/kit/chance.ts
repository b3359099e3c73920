/** `TENON_FULL=1` runs what takes long; `TENON_SEED` repeats a run that went wrong. */
export const isFull = process.env["TENON_FULL"] === "1";
export const seed = Number(process.env["TENON_SEED"] ?? Math.floor(Math.random() * 1_000_000));

/** Numbers from 0 up to `below`, the same ones for the same seed (mulberry32). */
export function chance(from: number): (below: number) => number {
  let state = from >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}
