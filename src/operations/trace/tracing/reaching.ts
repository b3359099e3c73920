import { type ImpactNode, ImpactReach, type ImpactUser } from "#domain/trace/reach.ts";
import type { CodeIndex, CodeDependency } from "../../ports/code-index.ts";

const MAX_REACHED_NODES = 500;

export async function computeImpactReach(
  index: CodeIndex,
  starts: readonly ImpactNode[],
  depth: number,
): Promise<ImpactReach> {
  const reach = new ImpactReach(starts, MAX_REACHED_NODES);
  let ring: readonly ImpactNode[] = starts;
  for (let at = 1; at <= depth && ring.length > 0; at++) {
    const next: ImpactNode[] = [];
    for (const node of ring) next.push(...reach.add(node, at, await loadImpactUsers(index, node)));
    ring = next;
  }
  return reach;
}

async function loadImpactUsers(index: CodeIndex, { path, ref }: ImpactNode): Promise<ImpactUser[]> {
  const from = ({ from: user, by }: CodeDependency): ImpactUser => ({ ...user, by });
  const callers = ref === undefined ? [] : (await index.usedBy({ path, ref })).map(from);
  if (ref !== undefined && !(await isComponentExported(index, path, ref))) return callers;
  return [...callers, ...(await index.usedBy({ path })).map(from)];
}

async function isComponentExported(index: CodeIndex, path: string, ref: string): Promise<boolean> {
  const rows = await index.components({ path, ref });
  return rows.some(({ isExported }) => isExported);
}
