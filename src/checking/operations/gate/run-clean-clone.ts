import { formatCount, formatShortList, sanitizeText } from "#kernel/model/text-format.ts";
import { joinFolderAndPath } from "#kernel/model/folder-path.ts";
import { throwIfCancelled } from "#kernel/operations/call-progress.ts";
import type { CommandCheck } from "#kernel/model/workspace-config.ts";
import { isSpecOfKind } from "#planning/model/spec/spec-checks.ts";
import type { AttributedWork } from "#planning/operations/workflow/attributed-work.ts";
import { listSpecFiles } from "#planning/operations/spec/list-specs.ts";
import { createTolerantTree } from "#store/operations/tolerant-tree.ts";
import type { CiFinding } from "../../model/ci/ci-findings.ts";
import { createCiFinding } from "../../model/ci/ci-findings.ts";
import type { CleanInstall, FolderStack } from "../../model/stack/stack-check.ts";
import type { CheckingEngine } from "../engine.ts";
import { waiveUnknownCheck } from "../workflow-gate/judge-stage.ts";
import { findTrustedDefinitions, TRUST_NEEDED } from "./load-trusted-checks.ts";
import { loadReceiptChains } from "./receipt-files.ts";
import { type GateCheckResults, runGateChecks } from "./run-gate-checks.ts";
import { STACK_CHECK_KINDS } from "./run-stack-checks.ts";

export interface CleanRun {
  readonly summary: string;
  readonly findings: readonly CiFinding[];
}

const MOST_NAMED_FILES = 5;
const INSTALL_LIMIT_S = 1_800;
/** Package managers install into the clone, whatever folder the user's shell has activated. */
const INSTALL_VARIABLES = {
  VIRTUAL_ENV: "",
  POETRY_VIRTUALENVS_IN_PROJECT: "true",
  PIPENV_VENV_IN_PROJECT: "1",
};

/** Neither the user's name nor the language and time zone of this machine may decide whether a test passes. */
const NEUTRAL_VARIABLES = { USER: "tenon", LOGNAME: "tenon", TZ: "UTC", LANG: "C.UTF-8", LC_ALL: "C.UTF-8" };

/**
 * Runs the gate's checks on the last commit, in a clone without anything else of this machine: packages come from the
 * lock file. All work since `asked`, or since the branch began, is judged as one.
 */
export async function runCleanClone(engine: CheckingEngine, asked?: string): Promise<CleanRun> {
  const fail = (problem: string): CleanRun => ({
    summary: "Nothing ran.",
    findings: [createCiFinding("run", "unknown", { problem })],
  });
  const head = (await engine.snapshots.isPossible()) ? await engine.source.head() : undefined;
  const working = head === undefined ? undefined : await engine.stacks.definitions(head);
  if (head === undefined || !working)
    return fail("There is no commit to clone. Commit first: git add -A && git commit");
  const may = await findTrustedDefinitions(engine, working, async () => undefined);
  if ("refused" in may) return fail(`Commit ${head.slice(0, 12)}: ${may.refused.why} ${TRUST_NEEDED}`);
  const since = await engine.source.forkPoint(asked);
  engine.progress.tell("checking out a clean clone");
  await using clone = await engine.worktrees.clone(head);
  const own = openNeutralFolder(engine, clone.root);
  const { stacks } = may.definitions;
  const installed = await installPackages(own, stacks);
  const open = [...(await listUncommitted(engine)), ...installed.findings];
  if (installed.hasFailed) return { summary: "The packages could not be installed.", findings: open };
  const base = since === "shallow" ? undefined : since;
  const { findings, checks } = await judgeClone(own, stacks, base);
  const all = [...open, ...findings, ...(since === "shallow" ? [createShallowFinding()] : [])];
  const passed = may.passes.length === 0 ? "" : ` Variables passed on: ${may.passes.join(", ")}.`;
  const failed = findings.filter(({ level }) => level === "error").length;
  const result = failed === 0 ? "all passed" : `${formatCount(failed, "problem")} found`;
  const summary = `${formatCount(checks, "check")} of commit ${head.slice(0, 12)} in a clean clone, ${result}.${passed}`;
  return { summary: checks === 0 ? "No check could run." : summary, findings: all };
}

function openNeutralFolder(engine: CheckingEngine, root: string): CheckingEngine {
  const own = engine.openClone(root);
  const run: CheckingEngine["runner"]["run"] = (request) =>
    own.runner.run({ ...request, variables: { ...NEUTRAL_VARIABLES, ...request.variables } });
  return { ...own, runner: { run } };
}

const createShallowFinding = (): CiFinding =>
  createCiFinding("run", "unknown", {
    problem: "The clone lacks the history, so removed and weakened tests cannot be found. Run: git fetch --unshallow",
  });

/** The clone has only committed files. */
async function listUncommitted({ snapshots }: CheckingEngine): Promise<CiFinding[]> {
  const paths = (await snapshots.uncommitted()).filter((path) => !/^\.?sdd\//.test(path));
  if (paths.length === 0) return [];
  const named = formatShortList(paths, MOST_NAMED_FILES);
  return [createCiFinding("run", "uncommitted", { problem: `Not committed, so not checked: ${named}` })];
}

async function installPackages(engine: CheckingEngine, stacks: readonly FolderStack[]) {
  const findings: CiFinding[] = [];
  const all = new Map(stacks.flatMap(({ clean }) => (clean ? [[JSON.stringify(clean), clean] as const] : [])));
  for (const install of all.values()) {
    const why = await runInstall(engine, install);
    throwIfCancelled(engine.progress);
    if (why !== undefined) {
      findings.push(createCiFinding("run", "failed", { problem: why }));
      return { findings, hasFailed: true };
    }
    if (install.isLocked) continue;
    const problem = `${install.directory === "." ? "The project" : install.directory} has no lock file, so every run may get other packages. Commit one.`;
    findings.push(createCiFinding("run", "unlocked", { problem }));
  }
  return { findings, hasFailed: false };
}

/** Why it failed, if it did. */
async function runInstall(engine: CheckingEngine, { directory, commands }: CleanInstall): Promise<string | undefined> {
  const { root, runner, progress } = engine;
  for (const command of commands) {
    progress.tell(command);
    const ended = await runner.run({
      run: { argv: command.split(" ") },
      root,
      folder: directory === "." ? root : joinFolderAndPath(root, directory),
      timeout_s: INSTALL_LIMIT_S,
      silence_s: INSTALL_LIMIT_S,
      variables: INSTALL_VARIABLES,
      progress: (line) => progress.tell(`${command}: ${line}`),
      cancelled: progress.cancelled,
    });
    const { how, code, why, output } = ended;
    await ended.forget();
    if (how === "exited" && code === 0) continue;
    const lines = output.tail.trim().split("\n");
    const said = lines.find((line) => /\berr(?:or)?\b/i.test(line)) ?? lines.at(-1) ?? "";
    const reason = why ?? (how === "exited" ? `exit ${code}: ${said}` : how);
    return `The packages cannot be installed in a clean clone. ${command}: ${sanitizeText(reason, 300)}`;
  }
  return undefined;
}

const WANTED_CHECKS: readonly CommandCheck[] = ["build", "tests", "lint", "types", "format"];

async function judgeClone(engine: CheckingEngine, stacks: readonly FolderStack[], base: string | undefined) {
  const hasTool = (check: CommandCheck): boolean =>
    stacks.some(({ checks }) => checks.some(({ kind }) => kind === STACK_CHECK_KINDS[check]));
  const tools = WANTED_CHECKS.filter(hasTool);
  const isTested = tools.includes("tests");
  const untested = isTested ? [] : [createCiFinding("run", "untested", { problem: "No tests that Tenon can run." })];
  if (tools.length === 0) return { checks: 0, findings: untested };
  const record = { base_commit: base, started_at: engine.clock.now() };
  const work = base === undefined ? undefined : await compareCommits(engine, base);
  const compared: CommandCheck[] = base !== undefined && isTested ? ["tests-kept"] : [];
  const ran = await runGateChecks(engine, {
    record: { ...record, id: "clean-clone" },
    checks: [...tools, ...compared],
    criteria: [],
    removals: [],
    work,
  });
  const known = await loadKnownExcuses(engine);
  const results = [...ran.results];
  const areTestsGood = results.some(({ check, status }) => check === "tests" && status === "passed");
  for (const { id, criteria } of areTestsGood ? await listFinishedSpecs(engine) : []) {
    const named = await runGateChecks(engine, {
      record: { ...record, id },
      checks: ["tests", "criteria"],
      criteria,
      removals: [],
      work,
    });
    results.push(...named.results.filter(({ check }) => check === "criteria"));
  }
  return {
    checks: results.length,
    findings: [
      ...untested,
      ...results.flatMap((result) => listResultFindings(ran, result, known.allowed)),
      ...ran.receipts.flatMap(({ check, already_failing: failures = [] }) =>
        failures
          .filter((failure) => !known.failing.has(failure))
          .map((failure) => createCiFinding("run", "already-failing", { problem: `${check}: ${failure}` })),
      ),
    ],
  };
}

/** In a clone nobody is at work, so everything since the base counts. */
async function compareCommits({ snapshots }: CheckingEngine, base: string): Promise<AttributedWork> {
  const found = await snapshots.between(base, await snapshots.sourceTree());
  const files = found
    .filter(({ path }) => !/^\.?sdd\//.test(path))
    .map((each) => ({ ...each, why: "presumed" as const }));
  return { base, base_tree: await snapshots.sourceTreeOf(base), files, excluded: [], others: [], unattributed: [] };
}

function listResultFindings(
  { gates }: Pick<GateCheckResults, "gates">,
  result: GateCheckResults["results"][number],
  allowed: ReadonlySet<string>,
): CiFinding[] {
  const { check, status, problems, reason = "It did not run." } = waiveUnknownCheck(result, gates);
  if (status === "unknown") return [createCiFinding("run", "unknown", { problem: `${check}: ${reason}` })];
  if (status !== "failed") return [];
  return problems
    .filter(({ problem }) => !allowed.has(problem.replace(/\.$/, "")))
    .map(({ problem }) => createCiFinding("run", "failed", { problem: `${check}: ${problem}` }));
}

/** What receipts excuse: tests that were removed for a reason, and failures that were there before. */
async function loadKnownExcuses(engine: CheckingEngine) {
  const { chains } = await engine.store.read((tree) =>
    loadReceiptChains(
      createTolerantTree(tree, () => undefined),
      engine,
    ),
  );
  const checks = chains.flatMap(({ chain }) => chain.receipts.flatMap(({ receipt }) => receipt.checks));
  return {
    allowed: new Set(checks.flatMap(({ allowed = [] }) => allowed.map(({ what }) => what))),
    failing: new Set(checks.flatMap(({ already_failing: failures = [] }) => failures)),
  };
}

async function listFinishedSpecs(engine: CheckingEngine) {
  const { parseListedSpec } = await import("#planning/operations/spec/spec-files.ts");
  const listed = await engine.store.read((tree) => listSpecFiles(createTolerantTree(tree, () => undefined)).specs);
  const found: { readonly id: string; readonly criteria: readonly string[] }[] = [];
  for (const each of listed) {
    const { id, document } = await parseListedSpec(engine, each);
    if (document?.spec.status !== "done" || !isSpecOfKind("feature", document)) continue;
    found.push({ id, criteria: document.spec.acceptance_criteria.map((criterion) => criterion.id) });
  }
  return found;
}
