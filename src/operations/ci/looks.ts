import { type CiCheck, type CiFinding, createCiFinding } from "#domain/ci/levels.ts";
import type { Engine } from "../engine.ts";

interface CiCheckResult {
  readonly says: string;
  readonly findings: readonly CiFinding[];
}

/** A machine reads CI output, so nothing is left out. */
const NO_TOKEN_LIMIT = Number.MAX_SAFE_INTEGER;

/** Each check runs the operation that users call, so both report the same. */
export const CI_CHECK_RUNNERS: Readonly<Record<CiCheck, (engine: Engine) => Promise<CiCheckResult>>> = {
  async validate(engine) {
    const { validateWorkspaceOperation: validate } = await import("../workspace/validate.ts");
    const output = await validate.run(engine, {});
    return {
      says: validate.page(output).title,
      findings: output.problems.map((each) => createCiFinding("validate", "problem", each)),
    };
  },

  async verify(engine) {
    const { verifyReceipts: verify } = await import("../gate/verify.ts");
    const output = await verify.run(engine, {});
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
    const { checkDrift: drift, formatDriftFinding: sayFinding } = await import("../trace/drift.ts");
    const output = await drift.run(engine, { max_tokens: NO_TOKEN_LIMIT });
    return {
      says: drift.page(output).title,
      findings: output.findings.map((each) =>
        createCiFinding("drift", each.severity, { problem: sayFinding(each), path: each.symbol?.split("#", 1)[0] }),
      ),
    };
  },

  async trace(engine) {
    const { showTrace: show } = await import("../trace/show.ts");
    const output = await show.run(engine, { max_tokens: NO_TOKEN_LIMIT });
    return {
      says: show.page(output).title,
      findings: output.problems
        .filter(({ due }) => due)
        .map(({ kind, problem, path, line }) => createCiFinding("trace", kind, { problem, path, line })),
    };
  },
};
