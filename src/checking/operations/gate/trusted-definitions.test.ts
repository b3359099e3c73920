import { expect, test } from "vitest";
import type { StackCheck } from "../../model/stack/stack-check.ts";
import { type ControlFile, type CheckDefinitions, createTrustedSurface } from "../../model/stack/trusted-surface.ts";
import { DEFAULT_CONFIG } from "#kernel/model/workspace-config.ts";
import { findTrustedDefinitions } from "./load-trusted-checks.ts";

const digest = (text: string): string => `<${text}>`;
const RULES: ControlFile = { path: "eslint.config.js", hash: "a".repeat(64) };

const checked = (...argv: string[]): StackCheck => ({
  kind: "lint",
  tool: "eslint",
  run: { argv },
  expect: "exit-zero",
  timeout_s: 60,
  silence_s: 60,
});

const defined = (checks: readonly StackCheck[], change: Partial<CheckDefinitions> = {}): CheckDefinitions => ({
  stacks: [
    {
      directory: ".",
      profile: "own",
      checks,
      test_files: [],
      source_files: [],
      instead: {},
      missing: [],
      borrowed: [],
    },
  ],
  gates: DEFAULT_CONFIG.gates,
  control: [RULES],
  problems: [],
  ...change,
});

const BASE = defined([checked("eslint", ".")]);
const IDLE = defined([], { control: [] });
const WAIVED = { ...BASE.gates, waived: { lint: "Never mind" } };

/** What a gate may go by, in a word. */
async function judge({
  working,
  base,
  trusted,
  given,
}: {
  working: CheckDefinitions;
  base?: CheckDefinitions;
  trusted?: CheckDefinitions;
  given?: CheckDefinitions;
}) {
  const granted = trusted && { surface: createTrustedSurface(trusted, digest), at: "2026-01-31", passes: ["TOKEN"] };
  const trust = {
    granted: async () => granted,
    grant: async () => undefined,
    revoke: async () => undefined,
    ...(given ? { given: createTrustedSurface(given, digest).hash } : {}),
  };
  const found = await findTrustedDefinitions({ trust, digest }, working, async () => base);
  if ("refused" in found) return found.refused.why;
  const { definitions, isFromBase, changed, passes } = found;
  return { runs: definitions.stacks[0]?.checks.map(({ run }) => run), isFromBase, changed, passes };
}

const runs = (words: string, more = {}) => ({
  runs: [{ argv: words.split(" ") }],
  isFromBase: false,
  changed: [],
  passes: ["TOKEN"],
  ...more,
});
const WEAKER_RULES = { ...BASE, control: [{ ...RULES, hash: "b".repeat(64) }] };
const MORE_RULES = { ...BASE, control: [RULES, { path: ".eslintignore", hash: "c" }] };
const NEVER = "You have not trusted the commands of this repository on this machine.";
const WEAKER = defined([checked("eslint", "--quiet", ".")]);
const SINCE = "The commands changed since you trusted them, 2026-01-31: ";

test.each<[string, Parameters<typeof judge>[0], unknown]>([
  ["runs trusted commands", { working: BASE, trusted: BASE }, runs("eslint .")],
  ["rejects commands that were never trusted", { working: BASE }, NEVER],
  ["rejects untrusted commands that equal those of the base commit", { working: BASE, base: BASE }, NEVER],
  [
    "runs commands given for this call, without the user's variables",
    { working: BASE, given: BASE },
    runs("eslint .", { passes: [] }),
  ],
  [
    "rejects commands that differ from those given for this call",
    { working: WEAKER, given: BASE },
    "The commands do not match the hash given with --trust.",
  ],
  ["rejects a command that replaces a trusted one", { working: WEAKER, trusted: BASE }, `${SINCE}2 commands.`],
  [
    "runs the trusted commands of the base commit instead",
    { working: WEAKER, base: BASE, trusted: BASE },
    runs("eslint .", {
      isFromBase: true,
      changed: [
        "+ .: lint eslint [expect=exit-zero silence_s=60 timeout_s=60] $ eslint --quiet .",
        "- .: lint eslint [expect=exit-zero silence_s=60 timeout_s=60] $ eslint .",
      ],
    }),
  ],
  [
    "runs the commands of the working copy once they are trusted",
    { working: WEAKER, base: BASE, trusted: WEAKER },
    runs("eslint --quiet ."),
  ],
  [
    "runs commands of the base commit that were given for this call",
    { working: WEAKER, base: BASE, given: BASE },
    runs("eslint .", { isFromBase: true, passes: [], changed: expect.any(Array) as unknown }),
  ],
  [
    "rejects weakened rules in the base commit too",
    { working: WEAKER_RULES, base: WEAKER_RULES, trusted: BASE },
    `${SINCE}eslint.config.js.`,
  ],
  [
    "rejects removed rules in the base commit too",
    { working: { ...BASE, control: [] }, base: { ...BASE, control: [] }, trusted: BASE },
    `${SINCE}eslint.config.js.`,
  ],
  [
    "rejects added rules in the base commit too",
    { working: MORE_RULES, base: MORE_RULES, trusted: BASE },
    `${SINCE}.eslintignore.`,
  ],
  [
    "ignores a waiver of the working copy",
    { working: { ...BASE, gates: WAIVED }, base: BASE, trusted: BASE },
    runs("eslint .", { isFromBase: true, changed: ['+ gates.waived lint: "Never mind"'] }),
  ],
  ["requires trust in spite of a waiver", { working: defined([], { gates: WAIVED, control: [] }) }, NEVER],
  [
    "judges a rule file that only the base commit names",
    { working: WEAKER, base: MORE_RULES, trusted: BASE },
    `${SINCE}2 commands.`,
  ],
  ["requires no trust if nothing runs", { working: IDLE }, { runs: [], isFromBase: false, changed: [], passes: [] }],
  ["requires trust if only the base commit runs something", { working: IDLE, base: BASE }, NEVER],
  [
    "runs what only the base commit runs, once it is trusted",
    { working: IDLE, base: BASE, trusted: BASE },
    runs("eslint .", { isFromBase: true, changed: expect.any(Array) as unknown }),
  ],
])("%s", async (_, given, expected) => {
  expect(await judge(given)).toEqual(expected);
});

test("names in a refusal the commands that the user has not seen", async () => {
  const trust = { granted: async () => undefined, grant: async () => undefined, revoke: async () => undefined };
  const found = await findTrustedDefinitions({ trust, digest }, { ...BASE, gates: WAIVED }, async () => undefined);
  expect(found).toEqual({
    refused: {
      why: NEVER,
      surface: createTrustedSurface({ ...BASE, gates: WAIVED }, digest),
      difference: {
        commands: {
          added: [".: lint eslint [expect=exit-zero silence_s=60 timeout_s=60] $ eslint ."],
          removed: [],
        },
        settings: { added: ['gates.waived lint: "Never mind"'], removed: [] },
        files: { added: ["eslint.config.js"], removed: [], changed: [] },
      },
    },
  });
});
