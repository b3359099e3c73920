import { idOfTag, partsOf, type TraceId } from "./acceptance.ts";
import type { Carrier } from "./carrier.ts";

export interface Node {
  readonly path: string;
  readonly ref?: string;
}

/** A user of a node. Syntax suggests it, but does not prove it. */
export interface User extends Node {
  readonly by: "call" | "import";
}

export interface Reached extends User {
  readonly depth: number;
  readonly via: Node;
}

export const nameOfNode = ({ path, ref }: Node): string => (ref === undefined ? path : `${path}#${ref}`);

/**
 * Collects the users of a change step by step: each once, by the shortest path, and by a call rather than an import.
 */
export class Reach {
  readonly found: Reached[] = [];
  isCut = false;
  readonly #known: Set<string>;
  /** Files already reached. Their imports add nothing new. */
  readonly #files: Set<string>;
  readonly #most: number;

  constructor(starts: readonly Node[], most: number) {
    this.#known = new Set(starts.map(nameOfNode));
    this.#files = new Set(starts.map(({ path }) => path));
    this.#most = most;
  }

  add(via: Node, depth: number, users: readonly User[]): User[] {
    const calls = users.filter(({ by }) => by === "call");
    return [...calls, ...users.filter(({ by }) => by === "import")].filter((user) => this.#takes(user, via, depth));
  }

  #takes(user: User, via: Node, depth: number): boolean {
    const name = nameOfNode(user);
    if (this.#known.has(name) || (user.ref === undefined && this.#files.has(user.path))) return false;
    if (this.found.length >= this.#most) {
      this.isCut = true;
      return false;
    }
    this.#known.add(name);
    this.#files.add(user.path);
    this.found.push({ ...user, depth, via });
    return true;
  }
}

/** Code and tests that name an id or one of its criteria. Tests appear by name. */
export function carriersOf(carriers: readonly Carrier[], id: TraceId): (Node & { readonly isTest: boolean })[] {
  const { spec, criterion } = partsOf(id);
  const rows = carriers.filter((row) => row.spec === spec && (criterion === undefined || row.criterion === criterion));
  const nodes = rows.map(({ path, ref, test, isTest }) => {
    const name = test ?? ref;
    return { path, isTest, ...(name === undefined ? {} : { ref: name }) };
  });
  return [...new Map(nodes.map((each) => [nameOfNode(each), each])).values()];
}

/**
 * A component serves the ids of its own tags, of its container's and of the file header's. A file serves every id in
 * it.
 */
export function servedBy(carriers: readonly Carrier[], { path, ref }: Node): TraceId[] {
  const isMeant = (row: Carrier): boolean =>
    ref === undefined || (row.ref === undefined ? row.test === undefined || row.test === ref : isAround(row.ref, ref));
  const rows = carriers.filter((row) => row.path === path && isMeant(row));
  return [...new Set(rows.flatMap((row) => idOfTag(row) ?? []))];
}

const isAround = (outer: string, inner: string): boolean => outer === inner || inner.startsWith(`${outer}.`);
