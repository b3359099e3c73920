import type { CheckingEngine } from "../engine.ts";
import type * as z from "zod";
import { Fault } from "#kernel/model/fault.ts";
import type { Page, PageQuotation } from "#kernel/model/page.ts";
import { formatExactWord, sanitizeText } from "#kernel/model/text-format.ts";
import {
  type CheckDefinitions,
  validatePassedVariables,
  compareTrustedSurfaces,
  isIdleSurface,
  formatControlName,
  createTrustedSurface,
  type TrustedSurface,
  type TrustGrant,
} from "../../model/stack/trusted-surface.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { TrustReport } from "./schema.ts";

type TrustOutput = z.infer<typeof TrustReport>;
type TrustLine = TrustOutput["commands"][number];
type TrustFileRow = TrustOutput["files"][number];

/** For the user only: an agent that could trust for its user could run anything. */
export const trustStackOperation = defineOperation({
  id: "stack.trust",
  effect: "change",
  input: async () => (await import("./schema.ts")).TrustQuery,
  output: async () => (await import("./schema.ts")).TrustReport,
  async run(engine: CheckingEngine, { confirm, pass = [], revoke = false }) {
    const definitions = await engine.stacks.definitions();
    if (!definitions) throw new Error("The working files have no definitions.");
    const surface = createTrustedSurface(definitions, (text) => engine.digest(text));
    if (revoke) {
      await engine.trust.revoke();
      return createTrustOutput(definitions, surface, undefined, { state: "revoked", passes: [] });
    }
    const before = await engine.trust.granted();
    const passes = validatePassedVariables([...(before?.passes ?? []), ...pass]);
    if (confirm === undefined)
      return createTrustOutput(definitions, surface, before, createTrustProposal(surface, before, passes));
    if (confirm !== surface.hash) {
      throw new Fault("trust.changed", {
        what: "Nothing was trusted.",
        why: `What would be run here is not what was agreed to: it has the hash ${surface.hash} by now.`,
        fix: { operation: "stack.trust" },
      });
    }
    const at = engine.clock.now();
    await engine.trust.grant({ surface, at, passes });
    return { ...createTrustOutput(definitions, surface, before, { state: "recorded", passes }), since: at };
  },
  page: formatTrustPage,
});

function createTrustProposal(
  surface: TrustedSurface,
  before: TrustGrant | undefined,
  passes: readonly string[],
): Pick<TrustOutput, "state" | "passes" | "token"> {
  const isSame = before?.surface.hash === surface.hash;
  const isMore = passes.length > (before?.passes.length ?? 0);
  if (!before && isIdleSurface(surface)) return { state: "nothing", passes: [...passes] };
  const state = isSame ? "trusted" : before ? "changed" : "untrusted";
  return { state, passes: [...passes], ...(isSame && !isMore ? {} : { token: surface.hash }) };
}

function createTrustOutput(
  definitions: CheckDefinitions,
  surface: TrustedSurface,
  before: TrustGrant | undefined,
  answer: Pick<TrustOutput, "state" | "passes" | "token">,
): TrustOutput {
  const old = before?.surface;
  const { commands, settings, files } = compareTrustedSurfaces(old ?? surface, surface);
  const shown = new Map(definitions.control.map((file) => [formatControlName(file), file.shown ?? []]));
  const present = surface.files.map(({ path, hash }): TrustFileRow => {
    const state = files.added.includes(path) ? "new" : files.changed.includes(path) ? "changed" : "same";
    return { path, state: old ? state : "unknown", hash, shown: (shown.get(path) ?? []).map(formatExactWord) };
  });
  const gone = (old?.files ?? [])
    .filter(({ path }) => files.removed.includes(path))
    .map(({ path, hash }): TrustFileRow => ({ path, state: "removed", hash, shown: [] }));
  const lines = (all: readonly string[], { added, removed }: typeof commands): TrustLine[] => [
    ...all.map((text): TrustLine => ({ text, state: old ? (added.includes(text) ? "new" : "same") : "unknown" })),
    ...removed.map((text): TrustLine => ({ text, state: "removed" })),
  ];
  return {
    ...answer,
    hash: surface.hash,
    since: before?.at,
    commands: lines(surface.commands, commands),
    settings: lines(surface.settings, settings),
    files: [...present, ...gone],
    problems: definitions.problems.map((problem) => sanitizeText(problem, 600)),
  };
}

const TRUST_TITLES: Readonly<Record<TrustOutput["state"], (since: string) => string>> = {
  nothing: () => "Nothing would be run here, so there is nothing to trust.",
  untrusted: () => "This would be run here. None of it is, until you trust it.",
  changed: (since) =>
    `What would be run here has changed since you trusted it, ${since}. None of it is, until you do again.`,
  trusted: (since) => `You have trusted this since ${since}: it may be run here.`,
  recorded: () => "Trusted: this may be run here, until any of it changes.",
  revoked: () => "Nothing of this repository is run any more, here or in its worktrees.",
};

const TRUST_STATE_MARKS = { unknown: "", same: "  ", new: "+ ", removed: "- ", changed: "~ " } as const;

function formatTrustPage(output: TrustOutput): Page {
  const { state, since = "", hash, passes, problems, token } = output;
  const title = TRUST_TITLES[state](since);
  if (state === "revoked" || state === "nothing") return { title, points: problems };
  const formatLine = (line: TrustLine): string => `${TRUST_STATE_MARKS[line.state]}${line.text}`;
  const files = output.files.flatMap((file) => [
    `${TRUST_STATE_MARKS[file.state]}${file.path} ${file.hash.slice(0, 12)}`,
    ...file.shown.map((each) => `    ${each}`),
  ]);
  return {
    title,
    facts: [
      ["hash", hash],
      ["your variables that checks see", passes.length > 0 ? passes.join(", ") : "none but the usual ones"],
    ],
    quotes: [
      ...createTrustQuotation("commands", output.commands.map(formatLine)),
      ...createTrustQuotation("what gates do otherwise", output.settings.map(formatLine)),
      ...createTrustQuotation("files that decide what they do", files),
    ],
    points: problems,
    next:
      token === undefined
        ? []
        : [{ operation: "stack.trust", input: { ...(passes.length > 0 ? { pass: passes } : {}), confirm: token } }],
  };
}

const createTrustQuotation = (label: string, lines: readonly string[]): PageQuotation[] =>
  lines.length === 0 ? [] : [{ label, text: lines.join("\n") }];
