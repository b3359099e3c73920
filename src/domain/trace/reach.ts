import { idOfTag, partsOf, type TraceId } from "./acceptance.ts";
import type { Carrier } from "./carrier.ts";

/** A component, or a file where no `ref` is given. */
export interface Node {
  readonly path: string;
  readonly ref?: string;
}

/** Something that uses a node, and how that is known. It is the word of the syntax, not proof. */
export interface User extends Node {
  readonly by: "call" | "import";
}

export interface Reached extends User {
  /** Steps from what is changed. */
  readonly depth: number;
  /** What it uses. */
  readonly via: Node;
}

export const nameOfNode = ({ path, ref }: Node): string => (ref === undefined ? path : `${path}#${ref}`);

/** Ring by ring, what a change reaches: each once, by the shortest way, and by a call rather than by an import. */
export class Reach {
  readonly found: Reached[] = [];
  /** Whether there was more than may be told. */
  isCut = false;
  readonly #known: Set<string>;
  /** Files of which something is known already: that they import another says nothing new then. */
  readonly #files: Set<string>;
  readonly #most: number;

  constructor(starts: readonly Node[], most: number) {
    this.#known = new Set(starts.map(nameOfNode));
    this.#files = new Set(starts.map(({ path }) => path));
    this.#most = most;
  }

  /** Takes in those that use a node; gives those that are new. */
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

/** What says that it serves an id, or one of its criteria; a test by its name. */
export function carriersOf(carriers: readonly Carrier[], id: TraceId): (Node & { readonly isTest: boolean })[] {
  const { spec, criterion } = partsOf(id);
  const rows = carriers.filter((row) => row.spec === spec && (criterion === undefined || row.criterion === criterion));
  const nodes = rows.map(({ path, ref, test, isTest }) => {
    const name = test ?? ref;
    return { path, isTest, ...(name === undefined ? {} : { ref: name }) };
  });
  return [...new Map(nodes.map((each) => [nameOfNode(each), each])).values()];
}

/** The ids that a node serves: by a tag of its own, of what it stands in, or at the head of its file; a file by any in it. */
export function servedBy(carriers: readonly Carrier[], { path, ref }: Node): TraceId[] {
  const isMeant = (row: Carrier): boolean =>
    ref === undefined || (row.ref === undefined ? row.test === undefined || row.test === ref : isAround(row.ref, ref));
  const rows = carriers.filter((row) => row.path === path && isMeant(row));
  return [...new Set(rows.flatMap((row) => idOfTag(row) ?? []))];
}

const isAround = (outer: string, inner: string): boolean => outer === inner || inner.startsWith(`${outer}.`);
