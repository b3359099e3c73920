import type { CheckingEngine } from "../engine.ts";
import type * as z from "zod";
import { findClosestWord, formatCount, sanitizeText, quote } from "#kernel/model/text-format.ts";
import { Fault } from "#kernel/model/fault.ts";
import type { Page } from "#kernel/model/page.ts";
import { formatInvocationLine } from "#kernel/model/shell-command.ts";
import { type StackDetection, NO_CODE_REASON, SURE_CONFIDENCE } from "../../model/stack/stack-detection.ts";
import { findNamedProfile, type StackProfile } from "../../model/stack/stack-profile.ts";
import { CONFIG_PATH, STACK_FOLDER } from "#kernel/model/workspace-paths.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { StackSurvey } from "../ports/stacks.ts";
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
      const guidance = createProfileGuidance(requireStackProfile(survey.profiles, wanted));
      return { stacks: [], omitted: 0, problems: [], profiles, guidance };
    }
    const shown = survey.detections
      .toSorted((a, b) => Number(b.isPrimary) - Number(a.isPrimary))
      .slice(0, MOST_SHOWN_STACKS);
    return {
      stacks: shown.map((detection) => createReportedStack(survey, detection)),
      omitted: survey.detections.length - shown.length,
      problems: [...survey.definitions.problems],
      profiles,
    };
  },
  page: (output) => (output.guidance ? formatGuidancePage(output.guidance) : formatStacksPage(output)),
});

function createReportedStack({ definitions }: StackSurvey, detection: StackDetection): ReportedStack {
  const { directory, profile, confidence, isPrimary, files, because, parts } = detection;
  const use = definitions.stacks.find((stack) => stack.directory === directory && stack.profile === profile);
  return {
    directory,
    profile,
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
    })),
    missing: [...(use?.missing ?? [])],
  };
}

export function requireStackProfile(profiles: readonly StackProfile[], name: string): StackProfile {
  const profile = findNamedProfile(name, profiles);
  if (profile) return profile;
  const ids = profiles.map(({ id }) => id);
  const meant = findClosestWord(name, ids);
  throw new Fault("stack.unknown-profile", {
    what: `There is no profile ${quote(name, 60)}.`,
    why: `There are ${ids.join(", ")}.`,
    fix: { operation: "stack.detect", ...(meant === undefined ? {} : { input: { profile: meant } }) },
  });
}

const createProfileGuidance = ({
  id,
  title,
  description,
  test_framework,
  ...profile
}: StackProfile): ProfileGuidance => ({
  id,
  title,
  description,
  test_framework,
  patterns: { ...profile.patterns },
  conventions: [...profile.conventions],
  enforcement: [...profile.enforcement],
  docs: [...profile.docs],
  examples: profile.examples,
});

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
      })),
    ],
  };
}

function formatStacksPage({ stacks, omitted, problems }: StackDetectOutput): Page {
  const [primary] = stacks;
  const isEmpty = omitted === 0 && stacks.every(({ because }) => because.includes(NO_CODE_REASON));
  const commands = stacks.flatMap(({ directory, checks }) =>
    checks.map(({ kind, command }) => `${directory} ${kind}: ${command}`),
  );
  const missing = stacks.flatMap(({ directory, missing: kinds }) =>
    kinds.map(({ kind, how }) => `${sanitizeText(directory, 200)}: nothing for ${kind}. ${sanitizeText(how, 400)}`),
  );
  return {
    title: formatStacksTitle(stacks, omitted),
    ...(primary
      ? {
          table: {
            columns: ["folder", "stack", "sure", "files", "because"],
            rows: stacks.map(({ directory, profile, confidence, files, because }) => [
              sanitizeText(directory, 200),
              sanitizeText(profile, 60),
              `${confidence} %`,
              String(files),
              sanitizeText(because.join(", "), 400),
            ]),
          },
        }
      : {}),
    ...(commands.length > 0 ? { quotes: [{ label: "What would run", text: commands.join("\n") }] } : {}),
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
  if (stacks.length === 1) return `${primary.profile}${where}.`;
  return `${formatCount(stacks.length + omitted, "stack")}; the primary one is ${primary.profile}${where}.`;
}

function listStackHints(stacks: readonly ReportedStack[], omitted: number): string[] {
  const unsure = stacks
    .filter(({ confidence }) => confidence < SURE_CONFIDENCE)
    .map(({ directory }) => sanitizeText(directory, 100));
  return [
    ...(omitted > 0 ? [`${formatCount(omitted, "stack")} more left out.`] : []),
    ...(unsure.length > 0
      ? [`Not sure of ${unsure.join(", ")}: stack.directories in ${CONFIG_PATH} names the profile of each folder.`]
      : []),
    ...(stacks.length > 1 ? [`stack.primary in ${CONFIG_PATH} names another primary one.`] : []),
    ...(stacks.some(({ missing }) => missing.length > 0)
      ? [
          `A profile of your own in ${STACK_FOLDER} may name other commands, and gates.waived in ${CONFIG_PATH} what has none.`,
        ]
      : []),
  ];
}
