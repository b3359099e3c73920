import type * as z from "zod";
import { Fault } from "#domain/fault.ts";
import type { Page, PageQuotation } from "#domain/page.ts";
import { formatExactWord, sanitizeText } from "#domain/quote.ts";
import type { Definitions } from "#domain/stack/definitions.ts";
import { passedNames } from "#domain/stack/passed.ts";
import { differenceOf, isIdle, nameOf, surfaceOf, type TrustedSurface } from "#domain/stack/surface.ts";
import { defineOperation } from "../operation.ts";
import type { TrustGrant } from "../ports/trust.ts";
import type { Trust, TrustShown } from "./schema.ts";

type Output = z.infer<typeof TrustShown>;
type Line = Output["commands"][number];
type File = Output["files"][number];

/** For the user only: an agent that could trust for its user could run anything. */
export const trust = defineOperation<z.infer<typeof Trust>, Output>({
  id: "stack.trust",
  effect: "change",
  input: async () => (await import("./schema.ts")).Trust,
  output: async () => (await import("./schema.ts")).TrustShown,
  async run(engine, { confirm, pass = [], revoke = false }) {
    const definitions = await engine.stacks.definitions();
    if (!definitions) throw new Error("The working files have no definitions.");
    const surface = surfaceOf(definitions, (text) => engine.digest(text));
    if (revoke) {
      await engine.trust.revoke();
      return show(definitions, surface, undefined, { state: "revoked", passes: [] });
    }
    const before = await engine.trust.granted();
    const passes = passedNames([...(before?.passes ?? []), ...pass]);
    if (confirm === undefined) return show(definitions, surface, before, propose(surface, before, passes));
    if (confirm !== surface.hash) throw changed(surface);
    const at = engine.clock.now();
    await engine.trust.grant({ surface, at, passes });
    return { ...show(definitions, surface, before, { state: "recorded", passes }), since: at };
  },
  page,
});

function propose(
  surface: TrustedSurface,
  before: TrustGrant | undefined,
  passes: readonly string[],
): Pick<Output, "state" | "passes" | "token"> {
  const isSame = before?.surface.hash === surface.hash;
  const isMore = passes.length > (before?.passes.length ?? 0);
  if (!before && isIdle(surface)) return { state: "nothing", passes: [...passes] };
  const state = isSame ? "trusted" : before ? "changed" : "untrusted";
  return { state, passes: [...passes], ...(isSame && !isMore ? {} : { token: surface.hash }) };
}

function show(
  definitions: Definitions,
  surface: TrustedSurface,
  before: TrustGrant | undefined,
  answer: Pick<Output, "state" | "passes" | "token">,
): Output {
  const old = before?.surface;
  const { commands, settings, files } = differenceOf(old ?? surface, surface);
  const shown = new Map(definitions.control.map((file) => [nameOf(file), file.shown ?? []]));
  const present = surface.files.map(({ path, hash }): File => {
    const state = files.added.includes(path) ? "new" : files.changed.includes(path) ? "changed" : "same";
    return { path, state: old ? state : "unknown", hash, shown: (shown.get(path) ?? []).map(formatExactWord) };
  });
  const gone = (old?.files ?? [])
    .filter(({ path }) => files.removed.includes(path))
    .map(({ path, hash }): File => ({ path, state: "removed", hash, shown: [] }));
  const lines = (all: readonly string[], { added, removed }: typeof commands): Line[] => [
    ...all.map((text): Line => ({ text, state: old ? (added.includes(text) ? "new" : "same") : "unknown" })),
    ...removed.map((text): Line => ({ text, state: "removed" })),
  ];
  return {
    ...answer,
    hash: surface.hash,
    ...(before ? { since: before.at } : {}),
    commands: lines(surface.commands, commands),
    settings: lines(surface.settings, settings),
    files: [...present, ...gone],
    problems: definitions.problems.map((problem) => sanitizeText(problem, 600)),
  };
}

function changed({ hash }: TrustedSurface): Fault {
  return new Fault("trust.changed", {
    what: "Nothing was trusted.",
    why: `What would be run here is not what was agreed to: it has the hash ${hash} by now.`,
    fix: { operation: "stack.trust" },
  });
}

const TITLES: Readonly<Record<Output["state"], (since: string) => string>> = {
  nothing: () => "Nothing would be run here, so there is nothing to trust.",
  untrusted: () => "This would be run here. None of it is, until you trust it.",
  changed: (since) =>
    `What would be run here has changed since you trusted it, ${since}. None of it is, until you do again.`,
  trusted: (since) => `You have trusted this since ${since}: it may be run here.`,
  recorded: () => "Trusted: this may be run here, until any of it changes.",
  revoked: () => "Nothing of this repository is run any more, here or in its worktrees.",
};

const MARKS = { unknown: "", same: "  ", new: "+ ", removed: "- ", changed: "~ " } as const;

function page(output: Output): Page {
  const { state, since = "", hash, passes, problems, token } = output;
  const title = TITLES[state](since);
  if (state === "revoked" || state === "nothing") return { title, points: problems };
  return {
    title,
    facts: [
      ["hash", hash],
      ["your variables that checks see", passes.length > 0 ? passes.join(", ") : "none but the usual ones"],
    ],
    quotes: [
      ...quoted("commands", output.commands.map(lineOf)),
      ...quoted("what gates do otherwise", output.settings.map(lineOf)),
      ...quoted("files that decide what they do", output.files.flatMap(fileLines)),
    ],
    points: problems,
    next:
      token === undefined
        ? []
        : [{ operation: "stack.trust", input: { ...(passes.length > 0 ? { pass: passes } : {}), confirm: token } }],
  };
}

const quoted = (label: string, lines: readonly string[]): PageQuotation[] =>
  lines.length === 0 ? [] : [{ label, text: lines.join("\n") }];

const lineOf = ({ text, state }: Line): string => `${MARKS[state]}${text}`;

const fileLines = ({ path, state, hash, shown }: File): string[] => [
  `${MARKS[state]}${path} ${hash.slice(0, 12)}`,
  ...shown.map((each) => `    ${each}`),
];
