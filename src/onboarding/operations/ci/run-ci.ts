import type * as z from "zod";
import { escapeLogCommands, formatCount, sanitizeText } from "#kernel/model/text-format.ts";
import {
  type CiCheck,
  CI_CHECKS,
  type CiFinding,
  createCiFinding,
  escalateCiWarnings,
} from "#checking/model/ci/ci-findings.ts";
import { Fault } from "#kernel/model/fault.ts";
import type { Page } from "#kernel/model/page.ts";
import type { OnboardingEngine } from "../engine.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { CiReport } from "./schema.ts";

type CiRunOutput = z.infer<typeof CiReport>;

const MOST_SHOWN_CI_FINDINGS = 100;

/** Runs every check that does not execute code of the repository. */
export const runCiOperation = defineOperation({
  id: "ci.run",
  effect: "read",
  isLong: true,
  input: async () => (await import("./schema.ts")).CiQuery,
  output: async () => (await import("./schema.ts")).CiReport,
  async run(engine: OnboardingEngine, { strict = false }) {
    const checks: CiRunOutput["checks"] = [];
    const all: CiFinding[] = [];
    for (const check of CI_CHECKS) {
      const { says, findings } = await runCiCheck(engine, check);
      const heeded = strict ? escalateCiWarnings(findings) : findings;
      const errors = heeded.filter(({ level }) => level === "error").length;
      checks.push({ check, passed: errors === 0, says, errors, warnings: heeded.length - errors });
      all.push(...heeded);
    }
    const findings = dedupeCiFindings(all).toSorted(
      (a, b) => Number(a.level === "warning") - Number(b.level === "warning"),
    );
    return { passed: checks.every(({ passed }) => passed), strict, checks, findings };
  },
  page: formatCiPage,
  isRefusal: ({ passed }) => !passed,
});

/** If two checks report the same problem, the later one wins: it knows more. */
function dedupeCiFindings(findings: readonly CiFinding[]): CiFinding[] {
  const said = ({ check, path, line, problem }: CiFinding): string => JSON.stringify([path ?? [check], line, problem]);
  return [...new Map(findings.map((finding) => [said(finding), finding])).values()];
}

/** A check that cannot run counts as failed; the others still run. */
async function runCiCheck(
  engine: OnboardingEngine,
  check: CiCheck,
): Promise<{ says: string; findings: readonly CiFinding[] }> {
  try {
    return await CI_CHECK_RUNNERS[check](engine);
  } catch (error) {
    if (!(error instanceof Fault) || error.code === "call.cancelled") throw error;
    const says = `It could not be made: ${error.what}`;
    return { says, findings: [createCiFinding(check, "unreadable", { problem: error.message })] };
  }
}

const CI_CHECK_OPERATIONS: Readonly<Record<CiCheck, string>> = {
  validate: "workspace.validate",
  verify: "gate.verify",
  drift: "trace.drift",
  trace: "trace.show",
};

function formatCiPage({ checks, findings }: CiRunOutput): Page {
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
      columns: ["check", "result", "says"],
      rows: checks.map(({ check, passed, says }) => [
        check,
        passed ? "passes" : "fails",
        escapeLogCommands(sanitizeText(says, 200)),
      ]),
    },
    points: [
      ...findings.slice(0, MOST_SHOWN_CI_FINDINGS).map(formatCiFinding),
      ...(findings.length > MOST_SHOWN_CI_FINDINGS
        ? [`${findings.length - MOST_SHOWN_CI_FINDINGS} more; --json tells them all.`]
        : []),
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
  readonly says: string;
  readonly findings: readonly CiFinding[];
}

/** A machine reads CI output, so nothing is left out. */
const NO_TOKEN_LIMIT = Number.MAX_SAFE_INTEGER;

/** Each check runs the operation that users call, so both report the same. */
export const CI_CHECK_RUNNERS: Readonly<Record<CiCheck, (engine: OnboardingEngine) => Promise<CiCheckResult>>> = {
  async validate(engine) {
    const { validateWorkspaceOperation } = await import("../workspace/validate-workspace.ts");
    const output = await validateWorkspaceOperation.run(engine, {});
    return {
      says: validateWorkspaceOperation.page(output).title,
      findings: output.problems.map((each) => createCiFinding("validate", "problem", each)),
    };
  },

  async verify(engine) {
    const { verifyReceipts } = await import("#checking/operations/gate/verify-receipts.ts");
    const output = await verifyReceipts.run(engine, {});
    return {
      says: output.summary,
      findings: [
        ...output.strays.map((each) => createCiFinding("verify", "broken", each)),
        ...output.workflows.flatMap(({ id, path, problems, findings }) => [
          ...problems.map((each) => createCiFinding("verify", "broken", { path, ...each })),
          ...findings.map((finding) => createCiFinding("verify", "finding", { path, problem: `${id}: ${finding}` })),
        ]),
        ...output.findings.map((problem) => createCiFinding("verify", "finding", { problem })),
      ],
    };
  },

  async drift(engine) {
    const { checkDrift, formatDriftFinding } = await import("#code/operations/trace/check-drift.ts");
    const output = await checkDrift.run(engine, { max_tokens: NO_TOKEN_LIMIT });
    return {
      says: checkDrift.page(output).title,
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
    const output = await showTrace.run(engine, { max_tokens: NO_TOKEN_LIMIT });
    return {
      says: showTrace.page(output).title,
      findings: output.problems
        .filter(({ due }) => due)
        .map(({ kind, problem, path, line }) => createCiFinding("trace", kind, { problem, path, line })),
    };
  },
};
