import type { ParsedCode, NodeIndex } from "../code.ts";
import type { LocatedComponent } from "./named.ts";

const MOST_USED_NAMES = 500;

/** The names each component uses, each once. A use inside a nested component counts for that one only. */
export function collectUsedNames(
  code: ParsedCode,
  named: readonly LocatedComponent[],
  uses: Iterable<readonly [NodeIndex, string]>,
): string[][] {
  const found = named.map(() => new Set<string>());
  const ends = named.map(({ found: { shared }, node, whole }) => code.next(shared === undefined ? whole : node));
  const open: number[] = [];
  let next = 0;
  const close = (node: NodeIndex): void => {
    while (open.length > 0 && (ends[open.at(-1) ?? 0] ?? 0) <= node) open.pop();
  };
  for (const [node, use] of uses) {
    for (let one = named[next]; one !== undefined && one.first <= node; one = named[++next]) {
      close(one.first);
      open.push(next);
    }
    close(node);
    const inner = found[open.at(-1) ?? -1];
    if (inner === undefined || inner.size >= MOST_USED_NAMES) continue;
    const name = normalizeUsedName(use);
    if (name !== "") inner.add(name);
  }
  return found.map((each) => [...each]);
}

/** Turns `expect(a).toBe` into `expect().toBe`; empty for a call without a name. */
function normalizeUsedName(use: string): string {
  let name = use;
  for (let depth = 0; depth < 3 && name.includes("("); depth++) name = name.replace(/\([^()]+\)/g, "()");
  return USED_NAME.test(name) ? name : "";
}
const USED_NAME = /^(?!\()[\p{L}\p{N}_$@#.:!?()[\]<>&*\\-]+$/u;
