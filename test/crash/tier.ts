/** `TENON_FULL=1` strikes everywhere; otherwise a sample, begun at random. `TENON_SEED` repeats one. */
export const isFull = process.env["TENON_FULL"] === "1";
export const seed = Number(process.env["TENON_SEED"] ?? Math.floor(Math.random() * 1000));

/** The first ones, whose writes differ most; all of them in the full tier. */
export const takeMain = <T>(all: readonly T[], most: number): T[] => all.slice(0, isFull ? undefined : most);

/** Every `stride`-th, evenly, beginning where the seed says; all of them in the full tier. */
export function sample<T>(all: readonly T[], stride: number): T[] {
  return isFull ? [...all] : all.filter((_, i) => i % stride === seed % stride);
}
