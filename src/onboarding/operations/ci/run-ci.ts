import type * as z from "zod";
import { escapeLogCommands, formatCount, quote, sanitizeText } from "#kernel/model/text-format.ts";
import type { CiCheck, CiFinding } from "#checking/model/ci/ci-findings.ts";
import { CI_CHECKS, createCiFinding, escalateCiWarnings } from "#checking/model/ci/ci-findings.ts";
import { Fault } from "#kernel/model/fault.ts";
import type { Page } from "#kernel/model/page.ts";
import type { OnboardingEngine } from "../engine.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { CiReport } from "./schema.ts";

type CiRunOutput = z.infer<typeof CiReport>;

const MOST_SHOWN_CI_FINDINGS = 100;

export const runCiOperation = defineOperation({
  id: "ci.run",
  effect: "read",
  isLong: true,
  input: async () => (await import("./schema.ts")).CiQuery,
  output: async () => (await import("./schema.ts")).CiReport,
  async run(engine: OnboardingEngine, { strict = false, since, run = false }) {
    const checks: CiRunOutput["checks"] = [];
    const all: CiFinding[] = [];
    for (const check of CI_CHECKS.filter((name) => run || name !== "run")) {
      const { summary, findings } = await runCiCheck(engine, check, since);
      const heeded = strict ? escalateCiWarnings(findings) : findings;
      const errors = heeded.filter(({ level }) => level === "error").length;
      checks.push({ check, passed: errors === 0, summary, errors, warnings: heeded.length - errors });
      all.push(...heeded);
    }
    // If two checks report the same problem, the later one wins: it knows more.
    const unique = new Map(
      all.map((each) => [JSON.stringify([each.path ?? [each.check], each.line, each.problem]), each]),
    );
    const findings = [...unique.values()].toSorted(
      (a, b) => Number(a.level === "warning") - Number(b.level === "warning"),
    );
    const unchecked = run ? [] : [CLEAN_CLONE_UNCHECKED];
    return { passed: checks.every(({ passed }) => passed), strict, checks, findings, unchecked };
  },
  page: formatCiPage,
  isRefusal: ({ passed }) => !passed,
});

const CLEAN_CLONE_UNCHECKED =
  "Not checked: whether the tests and other checks pass in a clean clone with the packages of the lock file. To run them: tenon ci --run";

/** A check that cannot run counts as failed; the others still run. */
async function runCiCheck(engine: OnboardingEngine, check: CiCheck, since?: string): Promise<CiCheckResult> {
  try {
    return await CI_CHECK_RUNNERS[check](engine, since);
  } catch (error) {
    if (!(error instanceof Fault) || error.code === "call.cancelled") throw error;
    const summary = `It could not run: ${error.what}`;
    return { summary, findings: [createCiFinding(check, "unreadable", { problem: error.message })] };
  }
}

const CI_CHECK_OPERATIONS: Readonly<Record<CiCheck, string>> = {
  validate: "workspace.validate",
  verify: "gate.verify",
  drift: "trace.drift",
  trace: "trace.show",
  run: "stack.detect",
};

function formatCiPage({ checks, findings, unchecked }: CiRunOutput): Page {
  const failing = checks.filter(({ passed }) => !passed);
  const warnings = findings.filter(({ level }) => level === "warning").length;
  const told = warnings === 0 ? "" : ` ${formatCount(warnings, "warning")}.`;
  const names = failing.map(({ check }) => check).join(", ");
  return {
    title:
      failing.length === 0
        ? `All ${checks.length} checks pass.${told}`
        : `${failing.length} of ${checks.length} checks fail: ${names}.${told}`,
    table: {
      columns: ["check", "result", "summary"],
      rows: checks.map(({ check, passed, summary }) => [
        check,
        passed ? "passes" : "fails",
        escapeLogCommands(sanitizeText(summary, 200)),
      ]),
    },
    points: [
      ...findings.slice(0, MOST_SHOWN_CI_FINDINGS).map(formatCiFinding),
      ...(findings.length > MOST_SHOWN_CI_FINDINGS
        ? [`${findings.length - MOST_SHOWN_CI_FINDINGS} more; --json lists them all.`]
        : []),
      ...unchecked,
    ],
    next: failing.map(({ check }) => ({ operation: CI_CHECK_OPERATIONS[check] })),
  };
}

function formatCiFinding({ level, check, path, line, problem }: CiFinding): string {
  // Some problems already contain their location.
  const place = path === undefined || problem.includes(path) ? "" : `${path}${line === undefined ? "" : `:${line}`}: `;
  return escapeLogCommands(`${level} ${check}: ${place}${problem}`);
}

interface CiCheckResult {
  readonly summary: string;
  readonly findings: readonly CiFinding[];
}

/** Without a receipt nothing shows that a gate judged the code. */
async function listUncoveredFindings(engine: OnboardingEngine, asked?: string): Promise<CiFinding[]> {
  const { findUncoveredCode } = await import("#checking/operations/gate/uncovered-code.ts");
  const found = await findUncoveredCode(engine, asked);
  if (!found) return [];
  if (found.since === undefined) {
    const lacks = asked === undefined ? "the history" : `the commit ${quote(asked, 60)}`;
    const problem = `The clone lacks ${lacks}, so code without a receipt cannot be found. Run: git fetch --unshallow`;
    return [createCiFinding("verify", "uncovered", { problem })];
  }
  const since = found.since.slice(0, 12);
  return found.paths.map((path) =>
    createCiFinding("verify", "uncovered", {
      path,
      problem: `${path} changed since ${since}, and no receipt covers it. Claim it for its workflow (tenon work claim), then run the gate.`,
    }),
  );
}

/** No gate judged a requirement that a person typed into the document. */
async function listUnbroughtFindings(engine: OnboardingEngine, asked?: string): Promise<CiFinding[]> {
  const { listUnbroughtRequirements } = await import("#planning/operations/change/unbrought-requirements.ts");
  const since = (await engine.snapshots.isPossible()) ? await engine.source.forkPoint(asked) : undefined;
  if (since === undefined || since === "shallow") return [];
  return (await listUnbroughtRequirements(engine, since)).map((each) => createCiFinding("verify", "unbrought", each));
}

/** Removed and edited records would otherwise look as if they had never been there. */
async function listAlteredFindings(engine: OnboardingEngine, asked?: string): Promise<CiFinding[]> {
  const { findAlteredRecords } = await import("#checking/operations/gate/altered-records.ts");
  const since = (await engine.snapshots.isPossible()) ? await engine.source.forkPoint(asked) : undefined;
  if (since === undefined || since === "shallow") return [];
  return (await findAlteredRecords(engine, since)).map((each) => createCiFinding("verify", "altered", each));
}

/** One session that plays all roles reviews its own work. */
async function listOneReporterFindings(engine: OnboardingEngine): Promise<CiFinding[]> {
  const { findOneReporterReviews } = await import("#roadmap/operations/review/review-reporters.ts");
  return (await findOneReporterReviews(engine)).map((each) => createCiFinding("verify", "one-reporter", each));
}

/** A machine reads CI output, so nothing is left out. */
const NO_TOKEN_LIMIT = Number.MAX_SAFE_INTEGER;

/** Each check runs the operation that users call, so both report the same. */
export const CI_CHECK_RUNNERS: Readonly<
  Record<CiCheck, (engine: OnboardingEngine, since?: string) => Promise<CiCheckResult>>
> = {
  async validate(engine) {
    const { validateWorkspaceOperation } = await import("../workspace/validate-workspace.ts");
    const output = await validateWorkspaceOperation.run(engine, {});
    return {
      summary: validateWorkspaceOperation.page(output).title,
      findings: output.problems.map((each) => createCiFinding("validate", "problem", each)),
    };
  },

  async verify(engine, since) {
    const { verifyReceipts } = await import("#checking/operations/gate/verify-receipts.ts");
    const output = await verifyReceipts.run(engine, {});
    return {
      summary: output.summary,
      findings: [
        ...output.strays.map((each) => createCiFinding("verify", "broken", each)),
        ...output.workflows.flatMap(({ id, path, problems, findings, unproved }) => [
          ...problems.map((each) => createCiFinding("verify", "broken", { path, ...each })),
          ...findings.map((finding) => createCiFinding("verify", "finding", { path, problem: `${id}: ${finding}` })),
          ...unproved.map((each) => createCiFinding("verify", "unproved", { path, ...each })),
        ]),
        ...output.findings.map((problem) => createCiFinding("verify", "finding", { problem })),
        ...output.unproved.map(({ path, problem }) => createCiFinding("verify", "unproved", { path, problem })),
        ...(await listUncoveredFindings(engine, since)),
        ...(await listUnbroughtFindings(engine, since)),
        ...(await listAlteredFindings(engine, since)),
        ...(await listOneReporterFindings(engine)),
      ],
    };
  },

  async drift(engine) {
    const { checkDrift, formatDriftFinding } = await import("#code/operations/trace/check-drift.ts");
    const output = await checkDrift.run(engine, { max_tokens: NO_TOKEN_LIMIT });
    return {
      summary: checkDrift.page(output).title,
      findings: output.findings.map((each) =>
        createCiFinding("drift", each.severity, {
          problem: formatDriftFinding(each),
          path: each.symbol?.split("#", 1)[0],
        }),
      ),
    };
  },

  async trace(engine) {
    const { showTrace } = await import("#code/operations/trace/show-trace.ts");
    const { listUncarriedRequirements } = await import("#planning/operations/change/carried-requirements.ts");
    const output = await showTrace.run(engine, { max_tokens: NO_TOKEN_LIMIT });
    const uncarried = await listUncarriedRequirements(engine);
    return {
      summary: showTrace.page(output).title,
      findings: [
        ...output.problems
          .filter(({ due }) => due)
          .map(({ kind, problem, path, line }) => createCiFinding("trace", kind, { problem, path, line })),
        ...uncarried.map(({ change, path, problem }) =>
          createCiFinding("trace", "uncarried", { path, problem: `${change}: ${problem}` }),
        ),
      ],
    };
  },

  async run(engine, since) {
    const { runCleanClone } = await import("#checking/operations/gate/run-clean-clone.ts");
    return runCleanClone(engine, since);
  },
};
