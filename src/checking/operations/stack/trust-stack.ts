import type { CheckingEngine } from "../engine.ts";
import type * as z from "zod";
import { Fault } from "#kernel/model/fault.ts";
import type { PageQuotation } from "#kernel/model/page.ts";
import { formatCount, formatExactWord, formatShortList, sanitizeText } from "#kernel/model/text-format.ts";
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
import { requirePerson } from "#planning/operations/approval/require-person.ts";
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
    if (!definitions) throw new Error("No commands are defined.");
    const surface = createTrustedSurface(definitions, (text) => engine.digest(text));
    if (revoke) {
      await engine.trust.revoke();
      return createTrustOutput(definitions, surface, undefined, { state: "revoked", passes: [] });
    }
    const before = await engine.trust.granted();
    const passes = validatePassedVariables([...(before?.passes ?? []), ...pass]);
    if (confirm === undefined) {
      const isSame = before?.surface.hash === surface.hash;
      const isMore = passes.length > (before?.passes.length ?? 0);
      const state = isSame ? "trusted" : before ? "changed" : "untrusted";
      const isNothing = !before && isIdleSurface(surface);
      const isUnproved = before?.proof === "unattended" && !(await engine.origin.isUnattended());
      const token = isNothing || (isSame && !isMore && !isUnproved) ? {} : { token: surface.hash };
      return createTrustOutput(definitions, surface, before, {
        state: isNothing ? "nothing" : state,
        passes,
        ...token,
      });
    }
    if (confirm !== surface.hash) {
      throw new Fault("trust.changed", {
        what: "Nothing was trusted.",
        why: `The commands changed. Their hash is now ${surface.hash}.`,
        fix: { operation: "stack.trust" },
      });
    }
    // A pipeline has no terminal, and the hash that it confirms came from a person.
    const isUnattended = await engine.origin.isUnattended();
    if (!isUnattended) await requirePerson(engine, { what: "Nothing was trusted.", command: "tenon trust" });
    const at = engine.clock.now();
    const proof = isUnattended ? ("unattended" as const) : ("typed" as const);
    await engine.trust.grant({ surface, at, passes, proof });
    const granted = createTrustOutput(definitions, surface, before, { state: "recorded", passes });
    return { ...granted, since: at, proof };
  },
  page(output) {
    const { state, since = "", hash, passes, token, proof } = output;
    const title = TRUST_TITLES[state](since);
    const isConfirmed = state === "trusted" || state === "recorded";
    const problems = [...(isConfirmed && proof === "unattended" ? [UNATTENDED_TRUST] : []), ...output.problems];
    if (state === "revoked" || state === "nothing") return { title, points: problems };
    const counts = [formatCount(output.commands.length, "command"), formatCount(output.files.length, "file")];
    // Whoever confirms a hash has just read the list.
    if (state === "recorded")
      return {
        title,
        facts: [
          ["trusted", counts.join(", ")],
          ["hash", hash],
        ],
        points: problems,
      };
    const formatLine = (line: TrustLine): string =>
      `${TRUST_STATE_MARKS[line.state]}${line.text.replace(/ (\[[^\]]*\]) \$ /, "\n    $1\n    $ ")}`;
    const files = output.files.flatMap((file) => [
      `${TRUST_STATE_MARKS[file.state]}${shortenFileParts(file.path)} ${file.hash.slice(0, 12)}`,
      ...file.shown.map((each) => `    ${each}`),
    ]);
    return {
      title,
      facts: [
        ["environment passed to checks", passes.length > 0 ? `defaults and ${passes.join(", ")}` : "defaults only"],
        ["hash", hash],
      ],
      quotes: [
        ...createTrustQuotation("commands", output.commands.map(formatLine)),
        ...createTrustQuotation("changed gate settings", output.settings.map(formatLine)),
        ...createTrustQuotation("files that configure the commands", files),
      ],
      points: problems,
      next:
        token === undefined
          ? []
          : [{ operation: "stack.trust", input: { ...(passes.length > 0 ? { pass: passes } : {}), confirm: token } }],
    };
  },
});

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
    proof: before?.proof,
    commands: lines(surface.commands, commands),
    settings: lines(surface.settings, settings),
    files: [...present, ...gone],
    problems: definitions.problems.map((problem) => sanitizeText(problem, 600)),
  };
}

const TRUST_TITLES: Readonly<Record<TrustOutput["state"], (since: string) => string>> = {
  nothing: () => "No commands found, so there is nothing to trust.",
  untrusted: () => "Gates run these commands only after you trust them.",
  changed: (since) =>
    `The commands changed since you trusted them (${since}). Gates run none of them until you trust them again.`,
  trusted: (since) => `You have trusted these commands since ${since}.`,
  recorded: () => "Trusted. Gates may run these commands until they or their files change.",
  revoked: () => "Trust removed. Gates run no command of this repository, here or in its worktrees.",
};

/** Also shown by doctor. */
export const UNATTENDED_TRUST = "No person confirmed the trust in a terminal: a script or a pipeline did.";

const TRUST_STATE_MARKS = { unknown: "", same: "  ", new: "+ ", removed: "- ", changed: "~ " } as const;

/** Most of the keys of a manifest that may configure a tool are rarely set. */
const shortenFileParts = (name: string): string =>
  name.replace(/ \("(.+)"\)$/, (part, list: string) => {
    const keys = list.split(", ");
    return keys.length > 4 ? ` (${formatShortList(keys, 2)} keys)` : part;
  });

const createTrustQuotation = (label: string, lines: readonly string[]): PageQuotation[] =>
  lines.length === 0 ? [] : [{ label, text: lines.join("\n") }];
