import { splitTraceId, type TraceId } from "#kernel/model/ids/trace-id.ts";
import { parseTagTraceId } from "./trace-acceptance.ts";
import type { TraceLocation } from "./trace-locations.ts";

export type ImpactNode = { readonly path: string; readonly ref?: string };

/** A user of a node. Syntax suggests it, but does not prove it. */
export type ImpactUser = ImpactNode & { readonly by: "call" | "import" };

export const formatNodeName = ({ path, ref }: ImpactNode): string => (ref === undefined ? path : `${path}#${ref}`);

/** Each node once, by the shortest path, and by a call rather than an import. */
export class ImpactReach {
  readonly found: (ImpactUser & { readonly depth: number; readonly via: ImpactNode })[] = [];
  isCut = false;
  readonly #known: Set<string>;
  /** Files already reached. Their imports add nothing new. */
  readonly #files: Set<string>;
  readonly #most: number;

  constructor(starts: readonly ImpactNode[], most: number) {
    this.#known = new Set(starts.map(formatNodeName));
    this.#files = new Set(starts.map(({ path }) => path));
    this.#most = most;
  }

  add(via: ImpactNode, depth: number, users: readonly ImpactUser[]): ImpactUser[] {
    const calls = users.filter(({ by }) => by === "call");
    return [...calls, ...users.filter(({ by }) => by === "import")].filter((user) => this.#takes(user, via, depth));
  }

  #takes(user: ImpactUser, via: ImpactNode, depth: number): boolean {
    const name = formatNodeName(user);
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
export function listServingNodes(carriers: readonly TraceLocation[], id: TraceId) {
  const { spec, criterion } = splitTraceId(id);
  const rows = carriers.filter((row) => row.spec === spec && (criterion === undefined || row.criterion === criterion));
  const nodes = rows.map(({ path, ref, test, isTest }) => {
    const name = test ?? ref;
    return { path, isTest, ...(name === undefined ? {} : { ref: name }) };
  });
  return [...new Map(nodes.map((each) => [formatNodeName(each), each])).values()];
}

/** A component serves the ids of its own, its container's and the file header's tags; a file serves all its ids. */
export function listServedIds(carriers: readonly TraceLocation[], { path, ref }: ImpactNode): TraceId[] {
  const isMeant = (row: TraceLocation): boolean => {
    if (ref === undefined) return true;
    if (row.ref === undefined) return row.test === undefined || row.test === ref;
    return row.ref === ref || ref.startsWith(`${row.ref}.`);
  };
  const rows = carriers.filter((row) => row.path === path && isMeant(row));
  return [...new Set(rows.flatMap((row) => parseTagTraceId(row) ?? []))];
}
