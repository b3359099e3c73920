import { type CiCheck, type CiFinding, found } from "#domain/ci/levels.ts";
import type { Engine } from "../engine.ts";

interface Look {
  readonly says: string;
  readonly findings: readonly CiFinding[];
}

/** A machine reads CI output, so nothing is left out. */
const ALL = Number.MAX_SAFE_INTEGER;

/** Each check runs the operation that users call, so both report the same. */
export const LOOKS: Readonly<Record<CiCheck, (engine: Engine) => Promise<Look>>> = {
  async validate(engine) {
    const { validateWorkspaceOperation: validate } = await import("../workspace/validate.ts");
    const output = await validate.run(engine, {});
    return {
      says: validate.page(output).title,
      findings: output.problems.map((each) => found("validate", "problem", each)),
    };
  },

  async verify(engine) {
    const { verify } = await import("../gate/verify.ts");
    const output = await verify.run(engine, {});
    return {
      says: output.summary,
      findings: [
        ...output.strays.map((each) => found("verify", "broken", each)),
        ...output.workflows.flatMap(({ id, path, problems, findings }) => [
          ...problems.map((each) => found("verify", "broken", { path, ...each })),
          ...findings.map((finding) => found("verify", "finding", { path, problem: `${id}: ${finding}` })),
        ]),
        ...output.findings.map((problem) => found("verify", "finding", { problem })),
      ],
    };
  },

  async drift(engine) {
    const { checkDrift: drift, formatDriftFinding: sayFinding } = await import("../trace/drift.ts");
    const output = await drift.run(engine, { max_tokens: ALL });
    return {
      says: drift.page(output).title,
      findings: output.findings.map((each) =>
        found("drift", each.severity, { problem: sayFinding(each), path: each.symbol?.split("#", 1)[0] }),
      ),
    };
  },

  async trace(engine) {
    const { showTrace: show } = await import("../trace/show.ts");
    const output = await show.run(engine, { max_tokens: ALL });
    return {
      says: show.page(output).title,
      findings: output.problems
        .filter(({ due }) => due)
        .map(({ kind, problem, path, line }) => found("trace", kind, { problem, path, line })),
    };
  },
};
