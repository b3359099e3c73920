import type { CheckingEngine } from "../engine.ts";
import type * as z from "zod";
import { findClosestWord, formatCount, sanitizeText, quote } from "#kernel/model/text-format.ts";
import { Fault } from "#kernel/model/fault.ts";
import type { Page } from "#kernel/model/page.ts";
import { formatInvocationLine } from "#kernel/model/shell-command.ts";
import type { FolderStack } from "../../model/stack/stack-check.ts";
import { NO_CODE_REASON, type StackDetection, SURE_CONFIDENCE } from "../../model/stack/stack-detection.ts";
import { BUILT_IN_PROFILES, findNamedProfile, type StackProfile } from "../../model/stack/stack-profile.ts";
import { CONFIG_PATH, STACK_FOLDER } from "#kernel/model/workspace-paths.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { StackDetectReport } from "./schema.ts";

type StackDetectOutput = z.infer<typeof StackDetectReport>;
type ReportedStack = StackDetectOutput["stacks"][number];
type ProfileGuidance = NonNullable<StackDetectOutput["guidance"]>;

const MOST_SHOWN_STACKS = 30;

export const detectStacksOperation = defineOperation({
  id: "stack.detect",
  effect: "read",
  input: async () => (await import("./schema.ts")).StackDetectQuery,
  output: async () => (await import("./schema.ts")).StackDetectReport,
  async run(engine: CheckingEngine, { profile: wanted }) {
    const survey = await engine.stacks.survey();
    const profiles = survey.profiles.map(({ id }) => id);
    if (wanted !== undefined) {
      const { id, title, description, test_framework, ...how } = requireStackProfile(survey.profiles, wanted);
      const guidance = {
        id,
        title,
        description,
        test_framework,
        patterns: { ...how.patterns },
        conventions: [...how.conventions],
        enforcement: [...how.enforcement],
        docs: [...how.docs],
        examples: how.examples,
      };
      return { stacks: [], omitted: 0, problems: [], profiles, guidance };
    }
    const shown = survey.detections
      .toSorted((a, b) => Number(b.isPrimary) - Number(a.isPrimary))
      .slice(0, MOST_SHOWN_STACKS);
    return {
      stacks: shown.map((detection) => {
        const { directory, profile, confidence, isPrimary, files, because, parts } = detection;
        const use = survey.definitions.stacks.find(
          (stack) => stack.directory === directory && stack.profile === profile,
        );
        return {
          directory,
          profile,
          name: formatStackName(detection, use, survey.profiles),
          confidence,
          primary: isPrimary,
          files,
          because: [...because],
          parts: [...parts],
          checks: (use?.checks ?? []).map(({ kind, tool, run, fix, variables }) => ({
            kind,
            tool,
            command: formatInvocationLine(run, variables),
            fix: fix && formatInvocationLine(fix),
            from: survey.origins.find(
              (origin) => origin.directory === directory && origin.kind === kind && origin.tool === tool,
            )?.from,
          })),
          missing: [...(use?.missing ?? [])],
        };
      }),
      omitted: survey.detections.length - shown.length,
      problems: [...survey.definitions.problems],
      profiles,
    };
  },
  page: (output) => (output.guidance ? formatGuidancePage(output.guidance) : formatStacksPage(output)),
});

const RUNNER_NAMES: Readonly<Record<string, string>> = {
  vitest: "Vitest",
  jest: "Jest",
  mocha: "Mocha",
  ava: "AVA",
  playwright: "Playwright",
  node: "node --test",
  npm: "npm test",
  go: "go test",
  cargo: "cargo test",
  dotnet: "dotnet test",
  maven: "Maven",
  gradle: "Gradle",
  rspec: "RSpec",
  phpunit: "PHPUnit",
  pest: "Pest",
  make: "make test",
};

/** The language and the test runner, as `Python, pytest`: the id of a profile may name a framework that is not used. */
function formatStackName(
  { profile, language }: StackDetection,
  use: FolderStack | undefined,
  profiles: readonly StackProfile[],
): string {
  if (profile === "generic") return profile;
  const isBuiltIn = BUILT_IN_PROFILES.some((id) => id === profile);
  const first = isBuiltIn ? (language ?? profiles.find(({ id }) => id === profile)?.title ?? profile) : profile;
  const tools = (use?.checks ?? []).filter(({ kind }) => kind === "test").map(({ tool }) => RUNNER_NAMES[tool] ?? tool);
  return [first, ...new Set(tools)].join(", ");
}

export function requireStackProfile(profiles: readonly StackProfile[], name: string): StackProfile {
  const profile = findNamedProfile(name, profiles);
  if (profile) return profile;
  const ids = profiles.map(({ id }) => id);
  const meant = findClosestWord(name, ids);
  throw new Fault("stack.unknown-profile", {
    what: `Unknown profile ${quote(name, 60)}.`,
    why: `Profiles: ${ids.join(", ")}.`,
    fix: { operation: "stack.detect", ...(meant === undefined ? {} : { input: { profile: meant } }) },
  });
}

function formatGuidancePage({ id, title, description, test_framework, ...how }: ProfileGuidance): Page {
  const lists = (["conventions", "enforcement", "docs"] as const).filter((key) => how[key].length > 0);
  const patterns = Object.entries(how.patterns).map(([what, glob]) => `${what}: ${glob}`);
  return {
    title: `${sanitizeText(id, 60)}: ${sanitizeText(title)}.`,
    facts: [
      ["for", sanitizeText(description, 500)],
      ["tests", sanitizeText(test_framework)],
      ["files", sanitizeText(patterns.join(", "), 500)],
    ],
    // A profile may come from the project, so all of its text is quoted.
    quotes: [
      ...lists.map((key) => ({ label: key, text: how[key].join("\n") })),
      ...how.examples.map(({ name, code }) => ({
        label: `example: ${sanitizeText(name, 60)}`,
        text: code.trimEnd().replaceAll("\t", "    "),
        isVerbatim: true,
      })),
    ],
  };
}

function formatStacksPage({ stacks, omitted, problems }: StackDetectOutput): Page {
  const [primary] = stacks;
  const isEmpty = omitted === 0 && stacks.every(({ because }) => because.includes(NO_CODE_REASON));
  const commands = stacks.flatMap(({ directory, checks }) =>
    checks.flatMap(({ kind, command, from }) => [
      `${directory} ${kind}: ${command}`,
      ...(from === undefined ? [] : [`  from ${sanitizeText(from, 200)}`]),
    ]),
  );
  const missing = stacks.flatMap(({ directory, missing: kinds }) =>
    kinds.map(
      ({ kind, how }) => `${sanitizeText(directory, 200)}: ${kind} is not configured. ${sanitizeText(how, 400)}`,
    ),
  );
  return {
    title: formatStacksTitle(stacks, omitted),
    ...(primary
      ? {
          table: {
            columns: ["folder", "stack", "confidence", "files", "because"],
            rows: stacks.map(({ directory, name, confidence, files, because }) => [
              sanitizeText(directory, 200),
              sanitizeText(name, 60),
              `${confidence} %`,
              String(files),
              sanitizeText(because.join(", "), 400),
            ]),
          },
        }
      : {}),
    ...(commands.length > 0 ? { quotes: [{ label: "Commands that gates run", text: commands.join("\n") }] } : {}),
    points: [
      ...problems.map((problem) => `${sanitizeText(problem, 500)}.`),
      ...(isEmpty ? [] : [...missing, ...listStackHints(stacks, omitted)]),
    ],
    next: isEmpty
      ? [{ operation: "project.init", input: { name: "…", description: "…" } }]
      : primary
        ? [{ operation: "stack.detect", input: { profile: primary.profile } }]
        : [],
  };
}

function formatStacksTitle(stacks: readonly ReportedStack[], omitted: number): string {
  const [primary] = stacks;
  if (!primary) return "No stack was found.";
  if (primary.profile === "generic" && primary.confidence === 0)
    return `The stack is not known: ${primary.because.join(", ")}.`;
  const where = primary.directory === "." ? "" : ` in ${sanitizeText(primary.directory, 200)}`;
  if (stacks.length === 1) return `${sanitizeText(primary.name, 60)}${where}.`;
  return `${formatCount(stacks.length + omitted, "stack")}; the primary one is ${sanitizeText(primary.name, 60)}${where}.`;
}

function listStackHints(stacks: readonly ReportedStack[], omitted: number): string[] {
  const unsure = stacks
    .filter(({ confidence }) => confidence < SURE_CONFIDENCE)
    .map(({ directory }) => sanitizeText(directory, 100));
  return [
    ...(omitted > 0 ? [`${formatCount(omitted, "stack")} more left out.`] : []),
    ...(unsure.length > 0
      ? [
          `Low confidence in the profile of ${unsure.map((folder) => `\`${folder}\``).join(", ")}: set stack.directories in ${CONFIG_PATH} to choose the profile.`,
        ]
      : []),
    ...(stacks.length > 1 ? [`Set stack.primary in ${CONFIG_PATH} to choose the primary stack.`] : []),
    ...(stacks.some(({ missing }) => missing.length > 0)
      ? [`Set your own commands in ${STACK_FOLDER}, or waive a check with gates.waived in ${CONFIG_PATH}.`]
      : []),
  ];
}
