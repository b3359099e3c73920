import type * as z from "zod";
import { formatCount } from "#kernel/model/text-format.ts";
import { formatDuration } from "#kernel/model/utc-time.ts";
import { ROLLBACK_SPACE } from "#planning/operations/workflow/ledger-spaces.ts";
import {
  findLostWorkflows,
  guessWorkflowKind,
  rebuildLostWorkflows,
} from "#planning/operations/workflow/rebuild-workflows.ts";
import { listLeftWorktrees } from "#running/operations/run-store.ts";
import type { OnboardingEngine } from "../engine.ts";
import type { WorkspaceDoctorOutput } from "./schema.ts";

export type DoctorCheck = z.infer<typeof WorkspaceDoctorOutput>["checks"][number];
type RestoredLedger = NonNullable<z.infer<typeof WorkspaceDoctorOutput>["restored"]>;

export async function restoreLedger(engine: OnboardingEngine): Promise<RestoredLedger> {
  const restore = await engine.store.restore();
  const { aside, copy, damagedCopies, isReplaced } = restore;
  const { recovered, unrecovered } = await rebuildLostWorkflows(engine, restore);
  return {
    ...(isReplaced && copy ? { from: copy.file, as_of: copy.at } : {}),
    damaged_kept: [...(aside ? [aside] : []), ...damagedCopies],
    recovered: [...recovered],
    unrecovered: [...unrecovered],
  };
}

export function formatRestore({ from, as_of, recovered, damaged_kept }: RestoredLedger): string {
  if (from !== undefined) return `The ledger is restored as of ${as_of}.`;
  if (recovered.length > 0) return `${formatCount(recovered.length, "workflow")} recovered.`;
  return damaged_kept.length > 0 ? "The damaged ledger was moved aside; no workflow was found." : "Nothing to restore.";
}

export const formatRestorePoints = ({ from, damaged_kept, recovered, unrecovered }: RestoredLedger): string[] => [
  ...(from === undefined ? [] : [`Copy used: ${from}`]),
  ...damaged_kept.map((file) => `Damaged file, moved to: ${file}`),
  ...recovered.map(({ id, stage, from: source }) => `Recovered ${id} at stage ${stage}, from ${source}.`),
  ...unrecovered.map((text) => `Not recovered: ${text}`),
];

/** A check with a fix is one that failed. */
export const report = (check: string, found: string, fix?: string): DoctorCheck =>
  fix === undefined ? { check, ok: true, found } : { check, ok: false, found, fix };

export const warnAbout = (check: string, found: string, fix: string): DoctorCheck => {
  return { check, ok: true, warning: true, found, fix };
};

export async function checkLedger(engine: OnboardingEngine): Promise<DoctorCheck[]> {
  const health = await engine.store.health();
  const here = health.pending.filter((write) => write.isHere);
  const elsewhere = health.pending.length - here.length;
  const events = health.exists ? `${formatCount(health.events, "event")} in ${health.file}` : "none yet";
  const unfinished = here.map((write) => `${write.at}: ${write.paths.join(", ")}`).join("; ") || "none";
  return [
    report("ledger", health.problem?.found ?? events, health.problem?.fix),
    report(
      "unfinished writes",
      elsewhere > 0 ? `${unfinished}; ${elsewhere} in other worktrees` : unfinished,
      here.length > 0 ? "Finish them: tenon doctor --repair" : undefined,
    ),
    report("leases", health.leases.map((lease) => `${lease.name} by ${lease.holder}`).join(", ") || "none"),
  ];
}

/** Specs, snapshots and the export name workflows too. A ledger that lacks one was lost or replaced. */
export async function checkWorkflows(engine: OnboardingEngine): Promise<DoctorCheck[]> {
  const { lost, unowned, bare } = await findLostWorkflows(engine);
  const rollbacks = await engine.store.read((tree) => [...tree.kept(ROLLBACK_SPACE).values()]);
  const list = (all: readonly { readonly id: string }[]): string => all.map(({ id }) => id).join(", ");
  const warn = (found: string, fix: string): DoctorCheck => warnAbout("workflows", found, fix);
  return [
    ...(lost.length > 0
      ? [report("workflows", `the ledger lacks ${list(lost)}`, "Restore them: tenon doctor --restore")]
      : []),
    ...rollbacks.map(({ workflow, n, failed }) =>
      report(
        "rollback",
        `${workflow} to snapshot ${n}: ${failed ? `stopped half-way: ${failed}` : "interrupted"}`,
        failed ? `Finish it: tenon workflow rollback ${workflow} --snapshot ${n}` : "Finish it: tenon workflow status",
      ),
    ),
    ...bare.map(({ id }) =>
      warn(`${id} has snapshots, but no spec and no workflow`, `List them: git for-each-ref refs/tenon/${id}`),
    ),
    ...unowned.map(({ id }) =>
      warn(`${id} has a spec, but no workflow here`, `To work on it: tenon ${guessWorkflowKind(id)} "…" --id ${id}`),
    ),
  ];
}

export const findDamagedRefs = async ({ snapshots }: OnboardingEngine, isRemoving: boolean) =>
  (await snapshots.isPossible()) ? snapshots.damagedRefs(isRemoving) : [];

export async function checkSnapshotRefs(engine: OnboardingEngine): Promise<DoctorCheck[]> {
  const damaged = await findDamagedRefs(engine, false);
  const found = `${damaged.join(", ")}: damaged, so git gc and git clone fail`;
  return damaged.length === 0 ? [] : [report("snapshots", found, "Remove them: tenon doctor --repair")];
}

/** They may hold unlanded work, so only the user removes them. */
export async function checkWorktrees(engine: OnboardingEngine): Promise<DoctorCheck[]> {
  if (!(await engine.snapshots.isPossible())) return [];
  return (await listLeftWorktrees(engine)).map(({ name, bytes, ageMs }) => {
    const size = `${(bytes / 2 ** 20).toLocaleString("en", { maximumFractionDigits: 1 })} MB`;
    const found = `${name}: ${size}, ${formatDuration(Math.floor(ageMs / 1000))} old, its work did not land`;
    return warnAbout("worktrees", found, `git worktree remove --force .sdd/worktrees/${name}`);
  });
}
