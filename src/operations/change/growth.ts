import type * as z from "zod";
import { type Growth, isLockFile, larger, outgrown } from "#domain/change/classes.ts";
import type { ChangeSize, ChangeStage } from "#domain/change/flows.ts";
import type { ChangeRecord } from "#domain/change/record.ts";
import { proseLines } from "#domain/document/prose.ts";
import { mentions } from "#domain/document/reference.ts";
import { Fault, type Fix } from "#domain/fault.ts";
import type { Problem } from "#domain/gate/verdict.ts";
import { changeArtifact } from "#domain/workspace/path.ts";
import type { Engine } from "../engine.ts";
import type { FileChange } from "../ports/source.ts";
import type { Tree } from "../ports/store.ts";
import type { ChangeView } from "./schema.ts";
import { type ShelvedChange } from "./census.ts";
import { chooseChange } from "./shelf.ts";

/** Before these stages a change consists only of its description. */
const MEASURED_STAGES: readonly string[] = ["spec", "clarify", "design", "tasks", "verify"];
/** Requirements named in other stages may be named only to exclude them. */
const NAMING_STAGES: readonly ChangeStage[] = ["spec", "design", "tasks"];

export interface Measured {
  readonly change: string;
  /** Absent if measuring failed; then `why` gives the reason. */
  readonly diff?: Pick<Growth, "files" | "lines">;
  readonly why?: string;
}

/**
 * Returns undefined if no measurement is needed. Also if the change is missing: the later call under the lock reports
 * that.
 */
export async function measureGrowth(
  engine: Pick<Engine, "source" | "store">,
  name: string | undefined,
  isAsked = false,
): Promise<Measured | undefined> {
  const record = await engine.store.read((tree) => forgiving(() => chooseChange(tree, name, "change.advance").record));
  if (!record || record.status !== "active") return undefined;
  const isDue = MEASURED_STAGES.includes(record.current_stage) && larger(record.size) !== undefined;
  return isDue || isAsked ? { change: record.id, ...(await diffOf(engine, record)) } : undefined;
}

async function diffOf(
  engine: Pick<Engine, "source">,
  { base_commit }: ChangeRecord,
): Promise<Pick<Measured, "diff" | "why">> {
  const changes = await changesSince(engine, base_commit);
  return typeof changes === "string" ? { why: changes } : { diff: sizeOf(changes) };
}

export async function changesSince(
  engine: Pick<Engine, "source">,
  base: string | undefined,
): Promise<readonly FileChange[] | string> {
  if (base === undefined) return "no commit was checked out when it began";
  const changes = await engine.source.changes(base);
  return changes ?? `git does not know ${base.slice(0, 12)}, where it began, any more`;
}

function sizeOf(changes: readonly FileChange[]): Pick<Growth, "files" | "lines"> {
  const work = changes.filter(({ path }) => !isLockFile(path));
  const lines = work.reduce((sum, { added, removed }) => sum + added.length + removed, 0);
  return { files: work.length, lines };
}

/** Adds the requirements named in the artifacts. `text` is the artifact about to be written. */
export function growthOf(
  tree: Tree,
  { shelf, record }: ShelvedChange,
  measured: Measured | undefined,
  text?: string,
): Growth | undefined {
  if (!measured?.diff || measured.change !== record.id) return undefined;
  const texts = NAMING_STAGES.map((stage) =>
    stage === record.current_stage && text !== undefined ? text : tree.text(changeArtifact(shelf, record.id, stage)),
  );
  const named = texts.flatMap((each) => mentions(proseLines(each ?? ""), "requirement").map(({ id }) => id));
  return { ...measured.diff, requirements: new Set(named).size };
}

export function checkGrowth(
  tree: Tree,
  change: ShelvedChange,
  text: string,
  measured: Measured | undefined,
): { problems: Problem[]; outgrown?: Growth } {
  const growth = growthOf(tree, change, measured, text);
  const facts = growth ? outgrown(change.record, growth) : [];
  if (!growth || facts.length === 0) return { problems: [] };
  const { size, base_commit = "" } = change.record;
  const problem = `It has outgrown ${size} since ${base_commit.slice(0, 12)}: ${facts.join("; ")}. Make it larger, or keep its size with a reason.`;
  return { problems: [{ problem }], outgrown: growth };
}

export function sizeCalls({ id, size }: z.infer<typeof ChangeView>): Fix[] {
  const next = larger(size as ChangeSize);
  return [...(next ? [next] : []), size].map((each) => ({
    operation: "change.resize",
    input: { change_id: id, size: each, reason: "…" },
  }));
}

export function unmeasured(measured: Measured | undefined, { id, status }: ChangeRecord): { notes?: string[] } {
  if (measured?.why === undefined || measured.change !== id || status !== "completed") return {};
  return { notes: [`Whether it outgrew its size was not measured: ${measured.why}.`] };
}

function forgiving<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}
