import { formatCount } from "#kernel/model/text-format.ts";
import { Fault, IMPORT_ADVICE, UNSEALED_RECORD_REASON } from "#kernel/model/fault.ts";
import { GITATTRIBUTES_PATH, GITIGNORE_PATH } from "#kernel/model/workspace-paths.ts";
import { loadChangeRecords } from "#planning/operations/change/change-records.ts";
import { commitStoreWrite } from "#store/operations/engine.ts";
import { describeIgnoredFolders } from "#planning/operations/workspace-foundation.ts";
import type { OnboardingEngine } from "../engine.ts";
import { createTolerantTree } from "#store/operations/tolerant-tree.ts";
import { loadApprovalLogs } from "#planning/operations/approval/approval-log-files.ts";
import { formatQuestionPage } from "#planning/operations/approval/ask-approval.ts";
import { findAlteredRecords } from "#checking/operations/gate/altered-records.ts";
import { loadReceiptChains } from "#checking/operations/gate/receipt-files.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import { loadFeatureRecords, loadWaveRecords } from "#roadmap/operations/feature/feature-records.ts";
import { summarizeProjectRecord } from "#planning/operations/project/project-record-file.ts";
import { loadAcceptances } from "#code/operations/trace/acceptance-records.ts";
import { UNATTENDED_TRUST } from "#checking/operations/stack/trust-stack.ts";
import { readGateReadiness } from "#checking/operations/stack/gate-readiness.ts";
import { inspectWorkspaceFiles } from "./inspect-workspace.ts";
import * as ledgerChecks from "./ledger-checks.ts";
import { type DoctorCheck, report, warnAbout } from "./ledger-checks.ts";
import { resealEditedRecord } from "./reseal-record.ts";

export const runDoctorOperation = defineOperation({
  id: "workspace.doctor",
  effect: "change",
  input: async () => (await import("./schema.ts")).WorkspaceDoctorInput,
  output: async () => (await import("./schema.ts")).WorkspaceDoctorOutput,
  async run(engine: OnboardingEngine, { reseal, repair, restore }) {
    const restored = restore ? await ledgerChecks.restoreLedger(engine) : undefined;
    const question = reseal === undefined ? undefined : await resealEditedRecord(engine, reseal);
    if (reseal === undefined && repair) {
      await commitStoreWrite(engine, () => ({ steps: [], occurrences: [], result: undefined }));
      await ledgerChecks.findDamagedRefs(engine, true);
    }
    const ledger = await ledgerChecks.checkLedger(engine);
    const isReadable = ledger.every(({ check, ok }) => ok || check !== "ledger");
    const others = Object.entries(DOCTOR_CHECKS).map(([name, check]) =>
      check(engine).catch((error: unknown) => reportFailedCheck(name, error, isReadable)),
    );
    const checks = [...(await checkMachine(engine)), ...ledger, ...(await Promise.all(others)).flat()];
    return {
      healthy: checks.every((check) => check.ok),
      checks,
      ...(restored ? { restored } : {}),
      ...(reseal === undefined || question ? {} : { resealed: reseal }),
      ...(question ? { user_question: question } : {}),
    };
  },
  page: ({ checks, resealed, restored, user_question: question }) =>
    question
      ? formatQuestionPage(question, "workspace.doctor", { reseal: question.id })
      : {
          title: `${resealed ? `${resealed} is accepted as it is now. ` : ""}${restored ? `${ledgerChecks.formatRestore(restored)} ` : ""}${formatHealth(checks)}`,
          points: restored ? ledgerChecks.formatRestorePoints(restored) : [],
          table: {
            columns: ["check", "", "found"],
            rows: checks.map((check) => [
              check.check,
              check.warning ? "warning" : check.ok ? "ok" : "failed",
              check.found,
            ]),
          },
          next: [...new Set(checks.flatMap((check) => ((check.warning ?? !check.ok) && check.fix ? [check.fix] : [])))],
        },
  asks: ({ user_question: question }) => question,
  isRefusal: (output) => !output.healthy || output.user_question !== undefined,
});

function formatHealth(checks: readonly DoctorCheck[]): string {
  const problems = checks.filter(({ ok }) => !ok).length;
  const warnings = checks.filter(({ warning }) => warning).length;
  if (problems + warnings === 0) return "Everything is in order.";
  const [found, warned] = [formatCount(problems, "problem"), formatCount(warnings, "warning")];
  if (problems === 0) return `No problems, ${warned}.`;
  return warnings === 0 ? `${found} found.` : `${found} found, and ${warned}.`;
}

/** One failing check must not hide the others. For a damaged ledger only its own check reports a fix. */
function reportFailedCheck(check: string, error: unknown, isReadable: boolean): DoctorCheck[] {
  if (!isReadable && isLedgerFault(error)) return [];
  const found = error instanceof Error ? error.message : String(error);
  const fixes = error instanceof Fault ? error.fixes.filter((fix) => typeof fix === "string").join(" ") : "";
  return [{ check, ok: false, found, ...(fixes ? { fix: fixes } : {}) }];
}

const isLedgerFault = (error: unknown): boolean => error instanceof Fault && error.code.startsWith("database.");

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

async function checkSettings(engine: OnboardingEngine): Promise<DoctorCheck[]> {
  try {
    const { items, problems } = await inspectWorkspaceFiles(engine, await engine.settings.load());
    const found =
      problems.length === 0 ? `${formatCount(items, "item")} valid` : formatCount(problems.length, "problem");
    const fix = problems.length === 0 ? undefined : "tenon validate lists them";
    return [report("config", "valid"), report("documents", found, fix)];
  } catch (error) {
    if (error instanceof Fault && error.code === "config.invalid")
      return [report("config", error.why, error.fixes.filter((each) => typeof each === "string").join(" "))];
    throw error;
  }
}

const adviseReseal = (path: string): string =>
  `Restore the committed version (git checkout -- ${path}), or accept it: tenon doctor --reseal ${path}`;

async function checkRecords(engine: OnboardingEngine): Promise<DoctorCheck[]> {
  const unreadable: { path: string; why: string }[] = [];
  const { sound, damaged } = await engine.store.read((tree) => {
    const forgiving = createTolerantTree(tree, (path, why) => void unreadable.push({ path, why }));
    const census = loadChangeRecords(forgiving);
    const project = summarizeProjectRecord(forgiving);
    const [features, waves] = [loadFeatureRecords(forgiving), loadWaveRecords(forgiving)];
    const logs = loadApprovalLogs(forgiving);
    return {
      sound:
        census.changes.length + (project.found ? 1 : 0) + features.found.size + waves.found.size + logs.found.length,
      damaged: [...project.damaged, ...census.damaged, ...features.damaged, ...waves.damaged, ...logs.damaged],
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

/** Unreadable files count as missing: another check reports them. */
const readTolerantly = <T>({ store }: OnboardingEngine, read: (tree: StoreTree) => T): Promise<T> =>
  store.read((tree) => read(createTolerantTree(tree, () => undefined)));

async function checkReceipts(engine: OnboardingEngine): Promise<DoctorCheck[]> {
  const { chains } = await readTolerantly(engine, (tree) => loadReceiptChains(tree, engine));
  const all = chains.reduce((total, { chain }) => total + chain.receipts.length, 0);
  const broken = chains.filter(({ chain }) => chain.problems.length > 0);
  if (all + broken.length === 0) return [];
  if (broken.length === 0) return [report("receipts", `${all} in ${formatCount(chains.length, "chain")}`)];
  return broken.map(({ path, chain: { problems } }) =>
    report(
      "receipts",
      `${path}:${problems[0]?.line ?? 1}: ${problems[0]?.problem ?? ""}`,
      `See who changed it (git log -p -- ${path}), then restore an intact version: git checkout -- ${path}`,
    ),
  );
}

/** Compares with the last commit: `tenon ci` compares with where the branch began. */
async function checkKeptRecords(engine: OnboardingEngine): Promise<DoctorCheck[]> {
  const head = (await engine.snapshots.isPossible()) ? await engine.source.head() : undefined;
  if (head === undefined) return [];
  const altered = await findAlteredRecords(engine, head);
  return altered.map(({ path, problem }) => report("kept records", problem, `git checkout -- ${path}`));
}

async function checkAcceptances(engine: OnboardingEngine): Promise<DoctorCheck[]> {
  const { found, damaged } = await readTolerantly(engine, loadAcceptances);
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
  const { found, fix } = describeIgnoredFolders(text);
  return problems.length > 0 ? problems : [fix ? warnAbout("gitignore", found, fix) : report("gitignore", found)];
}

/** `.gitattributes` is committed, but the merge driver is a setting of each clone. */
async function checkMergeDrivers(engine: OnboardingEngine): Promise<DoctorCheck[]> {
  const text = await readTolerantly(engine, (tree) => tree.text(GITATTRIBUTES_PATH));
  if (!text?.includes("merge=tenon")) return [];
  if (await engine.mergeDrivers.isRegistered()) return [report("merge drivers", "set up in this clone")];
  const found = "requested in .gitattributes, but not set up in this clone";
  return [report("merge drivers", found, "tenon init --merge-drivers")];
}

/** A workspace without memory is healthy. One with a damaged memory is not. */
async function checkMemory(engine: OnboardingEngine): Promise<DoctorCheck[]> {
  const config = await engine.settings.load().catch(() => undefined);
  if (config && !config.memory.enabled) return [report("memory", "switched off")];
  const { file, exists, problem, observations } = await (await engine.memory()).health();
  const fix = "Restore a backup, or move the file away; its content is then lost.";
  if (problem !== undefined) return [report("memory", `${file}: ${problem}`, fix)];
  const found = exists ? `${formatCount(observations, "observation")} in ${file}` : "empty";
  return [report("memory", found)];
}

/** Gates that cannot run are no damage, but an agent would find out only after its work. */
async function checkGates(engine: OnboardingEngine): Promise<DoctorCheck[]> {
  const readiness = await readGateReadiness(engine).catch((error: unknown) => {
    if (error instanceof Fault) return undefined;
    throw error;
  });
  if (!readiness || readiness.trust === "nothing") return [];
  const { trust, commands, missing, absent, licenses } = readiness;
  const warn = (found: string, fix: string): DoctorCheck => warnAbout("gates", found, fix);
  const reason = trust === "changed" ? "they changed since you trusted them" : "you have not trusted them";
  const tools = [
    ...(missing.length > 0
      ? [warn(`no tool for ${missing.map(({ kind }) => kind).join(", ")}`, "See what they need: tenon stack")]
      : []),
    ...absent.map(({ program, kinds, install }) =>
      warn(`${program} is not installed, so gates cannot run ${kinds.join(", ")}`, install || `Install ${program}.`),
    ),
    ...licenses.map(({ found, fix }) => warn(found, fix)),
  ];
  if (trust === "trusted" && readiness.isUnattended)
    return [
      warn(`${formatCount(commands, "command")} trusted. ${UNATTENDED_TRUST}`, "Confirm it in a terminal: tenon trust"),
      ...tools,
    ];
  if (trust === "trusted") return [report("gates", `${formatCount(commands, "command")} trusted`), ...tools];
  return [warn(`cannot run ${formatCount(commands, "command")}: ${reason}`, "tenon trust"), ...tools];
}

async function checkObservers(engine: OnboardingEngine): Promise<DoctorCheck[]> {
  const checks = engine.observers.map(async (observer): Promise<DoctorCheck[]> => {
    const problem = await observer.problem?.();
    return problem ? [{ check: observer.name, ok: false, ...problem }] : [];
  });
  return (await Promise.all(checks)).flat();
}

/** In the order in which they are reported. */
const DOCTOR_CHECKS: Readonly<Record<string, (engine: OnboardingEngine) => Promise<DoctorCheck[]>>> = {
  workflows: ledgerChecks.checkWorkflows,
  snapshots: ledgerChecks.checkSnapshotRefs,
  worktrees: ledgerChecks.checkWorktrees,
  config: checkSettings,
  records: checkRecords,
  receipts: checkReceipts,
  "kept records": checkKeptRecords,
  acceptances: checkAcceptances,
  gitignore: checkGitignore,
  "merge drivers": checkMergeDrivers,
  memory: checkMemory,
  gates: checkGates,
  exports: checkObservers,
};
