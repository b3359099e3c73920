import type { ChangeRecord } from "../change/record.ts";

/** What a workflow without a priority of its own has: 0 is the most urgent, 9 the least. */
const DEFAULT_PRIORITY = 7;

type Scalar = string | number | boolean | null;
type Node = Scalar | readonly Node[] | { readonly [key: string]: Node };

/** The runtime state in the v2 shape, for people and scripts to read. Nobody reads it back. */
export function renderState(changes: readonly ChangeRecord[]): string {
  const unfinished = changes.filter((change) => change.status === "active");
  const finished = changes.filter((change) => change.status !== "active");
  const current = unfinished.length === 1 ? unfinished[0] : undefined;
  return yaml({
    version: "2.0",
    current_workflow: current ? "change" : null,
    current_spec: current?.id ?? null,
    current_stage: current?.current_stage ?? null,
    can_advance: current !== undefined,
    dirty: false,
    workflows: Object.fromEntries(unfinished.map((change) => [change.id, workflow(change)])),
    history: finished.map((change) => ({
      spec_id: change.id,
      workflow: "change",
      status: change.status,
      completed: change.updated_at,
    })),
  });
}

function workflow(change: ChangeRecord): Node {
  return {
    workflow: "change",
    type: change.type,
    size: change.size,
    status: "in_progress",
    stage: change.current_stage,
    priority: DEFAULT_PRIORITY,
    started: change.created_at,
    last_activity: change.updated_at,
    files_locked: [],
    snapshots: [],
    retry_history: [],
    interrupted: false,
  };
}

function yaml(node: { readonly [key: string]: Node }, indent = ""): string {
  return Object.entries(node)
    .map(([key, value]) => `${indent}${scalarKey(key)}:${inner(value, indent)}`)
    .join("");
}

/** Ids such as `1e3`, `2026-01-31` or `no` are text, which YAML believes only in quotes. */
function scalarKey(key: string): string {
  return /^(?:\d.*|true|false|null|yes|no|on|off|y|n)$/.test(key) ? `"${key}"` : key;
}

function inner(value: Node, indent: string): string {
  if (value === null || typeof value !== "object") return ` ${JSON.stringify(value)}\n`;
  if (Array.isArray(value)) {
    if (value.length === 0) return " []\n";
    return `\n${value.map((item) => `${indent}  - ${yaml(item, `${indent}    `).trimStart()}`).join("")}`;
  }
  const entries = value as { readonly [key: string]: Node };
  return Object.keys(entries).length === 0 ? " {}\n" : `\n${yaml(entries, `${indent}  `)}`;
}
