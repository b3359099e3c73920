import type { ReleaseNote } from "./release-notes.ts";

const VERSION = /^v?(\d{1,6})\.(\d{1,6})\.(\d{1,6})(-[0-9A-Za-z.-]{1,40})?$/;

export const isVersion = (text: string): boolean => VERSION.test(text);

/** A feature or a decision raises the minor version, everything else the patch version. The first release is 0.1.0. */
export function getNextVersion(last: string | undefined, notes: readonly Pick<ReleaseNote, "kind">[]): string {
  const [, major = "0", minor = "0", patch = "0"] = VERSION.exec(last ?? "") ?? [];
  if (last === undefined) return "0.1.0";
  const isMinor = notes.some(({ kind }) => kind === "feature" || kind === "decision");
  return isMinor ? `${major}.${Number(minor) + 1}.0` : `${major}.${minor}.${Number(patch) + 1}`;
}
