import { expect, test } from "vitest";
import type { CheckDefinitions } from "../../model/stack/trusted-surface.ts";
import { DEFAULT_CONFIG } from "#kernel/model/workspace-config.ts";
import { loadCheckRuling } from "./load-trusted-checks.ts";

const defined = (why: string): CheckDefinitions => ({
  stacks: [],
  gates: { ...DEFAULT_CONFIG.gates, waived: { tests: why } },
  control: [],
  problems: [],
});

/** What is waived in a repository that nobody trusts, whose working copy waives tests. */
async function waivedAt(base: string | undefined): Promise<unknown> {
  const never = async () => undefined;
  const definitions = async (commit?: string) => defined(commit === undefined ? "An agent says so" : "As it was");
  const engine = {
    stacks: { definitions, onWorkingFiles: definitions, survey: () => Promise.reject(new Error("Nobody asks.")) },
    trust: { granted: never, grant: never, revoke: never },
    digest: (text: string) => text,
  };
  const { rules, refused, gates } = await loadCheckRuling(engine, base);
  return [rules, refused?.endsWith("tenon trust"), gates.waived];
}

test.each([
  ["since a commit that waives", "abc", { tests: "As it was" }],
  ["without any commit", undefined, {}],
])("%s, an untrusted working copy waives no more checks", async (_, base, waived) => {
  expect(await waivedAt(base)).toEqual([undefined, true, waived]);
});
