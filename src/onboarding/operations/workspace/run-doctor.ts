import type * as z from "zod";
import { formatCount } from "#kernel/model/text-format.ts";
import { Fault, IMPORT_ADVICE, UNSEALED_RECORD_REASON } from "#kernel/model/fault.ts";
import { GITATTRIBUTES_PATH, GITIGNORE_PATH } from "#kernel/model/workspace-paths.ts";
import { loadChangeRecords } from "#planning/operations/change/change-records.ts";
import { commitStoreWrite } from "#store/operations/engine.ts";
import type { OnboardingEngine } from "../engine.ts";
import { createTolerantTree } from "#store/operations/tolerant-tree.ts";
import { loadReceiptChains } from "#checking/operations/gate/receipt-files.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import { loadFeatureRecords, loadWaveRecords } from "#roadmap/operations/feature/feature-records.ts";
import { summarizeProjectRecord } from "#planning/operations/project/project-record-file.ts";
import { loadAcceptances } from "#code/operations/trace/acceptance-records.ts";
import { inspectWorkspaceFiles } from "./inspect-workspace.ts";
import { resealEditedRecord } from "./reseal-record.ts";
import type { WorkspaceDoctorOutput } from "./schema.ts";

type DoctorResult = z.infer<typeof WorkspaceDoctorOutput>;
type DoctorCheck = DoctorResult["checks"][number];

export const runDoctorOperation = defineOperation({
  id: "workspace.doctor",
  effect: "change",
  input: async () => (await import("./schema.ts")).WorkspaceDoctorInput,
  output: async () => (await import("./schema.ts")).WorkspaceDoctorOutput,
  async run(engine: OnboardingEngine, { reseal, mend }) {
    if (reseal !== undefined) await resealEditedRecord(engine, reseal);
    else if (mend) await commitStoreWrite(engine, () => ({ steps: [], occurrences: [], result: undefined }));
    const checks = (
      await Promise.all([
        checkMachine(engine),
        checkLedger(engine),
        checkSettings(engine),
        checkRecords(engine),
        checkReceipts(engine),
        checkAcceptances(engine),
        checkGitignore(engine),
        checkMergeDrivers(engine),
        checkMemory(engine),
        checkObservers(engine),
      ])
    ).flat();
    return {
      healthy: checks.every((check) => check.ok),
      checks,
      ...(reseal === undefined ? {} : { resealed: reseal }),
    };
  },
  page: ({ healthy, checks, resealed }) => ({
    title: `${resealed ? `${resealed} is accepted as it stands. ` : ""}${healthy ? "Everything is in order." : "Something needs mending."}`,
    table: {
      columns: ["check", "", "found"],
      rows: checks.map((check) => [check.check, check.ok ? "ok" : "WRONG", check.found]),
    },
    next: checks.flatMap((check) => (!check.ok && check.fix ? [check.fix] : [])),
  }),
  isRefusal: (output) => !output.healthy,
});

/** A check with a fix is one that failed. */
const report = (check: string, found: string, fix?: string): DoctorCheck =>
  fix === undefined ? { check, ok: true, found } : { check, ok: false, found, fix };

async function checkMachine({ machine, root }: OnboardingEngine): Promise<DoctorCheck[]> {
  const git = await machine.git();
  const oldSqlite = "Install Node 24, or 22.23 and newer: older SQLite can corrupt the ledger.";
  return [
    report("node", machine.node),
    report("sqlite", machine.sqlite, machine.isSqliteSound ? undefined : oldSqlite),
    report("git", git ?? "not found", git ? undefined : "Install git and put it on the PATH."),
    report("workspace", root),
  ];
}

async function checkLedger(engine: OnboardingEngine): Promise<DoctorCheck[]> {
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
      here.length > 0 ? "Finish them: tenon doctor --mend" : undefined,
    ),
    report("leases", health.leases.map((lease) => `${lease.name} by ${lease.holder}`).join(", ") || "none"),
  ];
}

async function checkSettings(engine: OnboardingEngine): Promise<DoctorCheck[]> {
  try {
    const { items, problems } = await inspectWorkspaceFiles(engine, await engine.settings.load());
    const documents =
      problems.length === 0
        ? report("documents", `${formatCount(items, "item")} valid`)
        : report("documents", formatCount(problems.length, "problem"), "tenon validate lists them");
    return [report("config", "valid"), documents];
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const fix = error.fixes.filter((each) => typeof each === "string").join(" ");
    return [report("config", error.why, fix)];
  }
}

const adviseReseal = (path: string): string =>
  `Go back to a committed one (git checkout -- ${path}), or accept it: tenon doctor --reseal ${path}`;

async function checkRecords(engine: OnboardingEngine): Promise<DoctorCheck[]> {
  const unreadable: { path: string; why: string }[] = [];
  const { sound, damaged } = await engine.store.read((tree) => {
    const forgiving = createTolerantTree(tree, (path, why) => void unreadable.push({ path, why }));
    const census = loadChangeRecords(forgiving);
    const project = summarizeProjectRecord(forgiving);
    const [features, waves] = [loadFeatureRecords(forgiving), loadWaveRecords(forgiving)];
    return {
      sound: census.changes.length + (project.found ? 1 : 0) + features.found.size + waves.found.size,
      damaged: [...project.damaged, ...census.damaged, ...features.damaged, ...waves.damaged],
    };
  });
  if (damaged.length + unreadable.length === 0) return [report("records", `${sound} sound`)];
  return [
    ...unreadable.map(({ path, why }) => ({ check: "files", ok: false, found: `${path}: ${why}` })),
    ...damaged.map(({ path, why }) =>
      report("records", `${path}: ${why}`, why === UNSEALED_RECORD_REASON ? IMPORT_ADVICE : adviseReseal(path)),
    ),
  ];
}

async function checkReceipts(engine: OnboardingEngine): Promise<DoctorCheck[]> {
  const { chains } = await engine.store.read((tree) =>
    loadReceiptChains(
      createTolerantTree(tree, () => undefined),
      engine,
    ),
  );
  const all = chains.reduce((total, { chain }) => total + chain.receipts.length, 0);
  const broken = chains.filter(({ chain }) => chain.problems.length > 0);
  if (all + broken.length === 0) return [];
  if (broken.length === 0) return [report("receipts", `${all} in ${formatCount(chains.length, "chain")}`)];
  return broken.map(({ path, chain: { problems } }) =>
    report(
      "receipts",
      `${path}:${problems[0]?.line ?? 1}: ${problems[0]?.problem ?? ""}`,
      `See who changed it (git log -p -- ${path}), then go back to a whole one: git checkout -- ${path}`,
    ),
  );
}

async function checkAcceptances(engine: OnboardingEngine): Promise<DoctorCheck[]> {
  const { found, damaged } = await engine.store.read((tree) =>
    loadAcceptances(createTolerantTree(tree, () => undefined)),
  );
  if (damaged.length > 0)
    return damaged.map(({ path, why }) => report("acceptances", `${path}: ${why}`, adviseReseal(path)));
  return found.size === 0 ? [] : [report("acceptances", `${found.size} sound`)];
}

async function checkGitignore(engine: OnboardingEngine): Promise<DoctorCheck[]> {
  const problems: DoctorCheck[] = [];
  const text = await engine.store.read((tree) =>
    createTolerantTree(
      tree,
      (path, why) => void problems.push({ check: "gitignore", ok: false, found: `${path}: ${why}` }),
    ).text(GITIGNORE_PATH),
  );
  const isIgnored = text?.split(/\r?\n/).some((line) => /^\/?\.sdd\/?$/.test(line.trim())) ?? false;
  const found = isIgnored ? ".sdd/ is ignored" : ".sdd/ ignores itself; tenon init lists it";
  return problems.length > 0 ? problems : [{ check: "gitignore", ok: true, found }];
}

/** `.gitattributes` is committed, but the merge driver is a setting of each clone. */
async function checkMergeDrivers(engine: OnboardingEngine): Promise<DoctorCheck[]> {
  const text = await engine.store.read((tree) => createTolerantTree(tree, () => undefined).text(GITATTRIBUTES_PATH));
  if (!text?.includes("merge=tenon")) return [];
  const isKnown = await engine.mergeDrivers.isRegistered();
  return [
    isKnown
      ? report("merge drivers", "set up in this clone")
      : report(
          "merge drivers",
          "asked for in .gitattributes, but not set up in this clone",
          "tenon init --merge-drivers",
        ),
  ];
}

/** A workspace without memory is healthy. One with a damaged memory is not. */
async function checkMemory(engine: OnboardingEngine): Promise<DoctorCheck[]> {
  const config = await engine.settings.load().catch(() => undefined);
  if (config && !config.memory.enabled) return [report("memory", "switched off")];
  const { file, exists, problem, observations } = await (await engine.memory()).health();
  if (problem !== undefined) {
    const fix = "Put back a backup, or move the file away: what it holds is lost then.";
    return [report("memory", `${file}: ${problem}`, fix)];
  }
  return [
    report("memory", exists ? `${formatCount(observations, "observation")} in ${file}` : "nothing remembered yet"),
  ];
}

async function checkObservers(engine: OnboardingEngine): Promise<DoctorCheck[]> {
  const checks = engine.observers.map(async (observer): Promise<DoctorCheck[]> => {
    const problem = await observer.problem?.();
    return problem ? [{ check: observer.name, ok: false, ...problem }] : [];
  });
  return (await Promise.all(checks)).flat();
}
