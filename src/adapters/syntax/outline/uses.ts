import type { Code, Place } from "../code.ts";
import type { Named } from "./named.ts";

/** More than anybody calls; what is longer was not written by hand. */
const MOST = 500;

/** What each component uses by name, each once: what stands in none of those inside of it. */
export function usesOf(code: Code, named: readonly Named[], uses: Iterable<readonly [Place, string]>): string[][] {
  const found = named.map(() => new Set<string>());
  const ends = named.map(({ found: { shared }, node, whole }) => code.next(shared === undefined ? whole : node));
  const open: number[] = [];
  let next = 0;
  const close = (node: Place): void => {
    while (open.length > 0 && (ends[open.at(-1) ?? 0] ?? 0) <= node) open.pop();
  };
  for (const [node, use] of uses) {
    for (let one = named[next]; one !== undefined && one.first <= node; one = named[++next]) {
      close(one.first);
      open.push(next);
    }
    close(node);
    const inner = found[open.at(-1) ?? -1];
    if (inner === undefined || inner.size >= MOST) continue;
    const name = nameIn(use);
    if (name !== "") inner.add(name);
  }
  return found.map((each) => [...each]);
}

/** `expect(a).toBe` as `expect().toBe`; nothing for what is called without a name. */
function nameIn(use: string): string {
  let name = use;
  for (let depth = 0; depth < 3 && name.includes("("); depth++) name = name.replace(/\([^()]+\)/g, "()");
  return IS_NAME.test(name) ? name : "";
}
const IS_NAME = /^(?!\()[\p{L}\p{N}_$@#.:!?()[\]<>&*\\-]+$/u;
