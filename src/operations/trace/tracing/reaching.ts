import { type Node, Reach, type User } from "#domain/trace/reach.ts";
import type { CodeIndex, CodeDependency } from "../../ports/code-index.ts";

const MOST_REACHED = 500;

export async function reachOf(index: CodeIndex, starts: readonly Node[], depth: number): Promise<Reach> {
  const reach = new Reach(starts, MOST_REACHED);
  let ring: readonly Node[] = starts;
  for (let at = 1; at <= depth && ring.length > 0; at++) {
    const next: Node[] = [];
    for (const node of ring) next.push(...reach.add(node, at, await usersOf(index, node)));
    ring = next;
  }
  return reach;
}

async function usersOf(index: CodeIndex, { path, ref }: Node): Promise<User[]> {
  const from = ({ from: user, by }: CodeDependency): User => ({ ...user, by });
  const callers = ref === undefined ? [] : (await index.usedBy({ path, ref })).map(from);
  if (ref !== undefined && !(await isGiven(index, path, ref))) return callers;
  return [...callers, ...(await index.usedBy({ path })).map(from)];
}

async function isGiven(index: CodeIndex, path: string, ref: string): Promise<boolean> {
  const rows = await index.components({ path, ref });
  return rows.some(({ isExported }) => isExported);
}
