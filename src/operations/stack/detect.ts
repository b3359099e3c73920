import type * as z from "zod";
import { findClosestWord } from "#domain/closest.ts";
import { formatCount } from "#domain/count.ts";
import { Fault } from "#domain/fault.ts";
import type { Page } from "#domain/page.ts";
import { sanitizeText, quote } from "#domain/quote.ts";
import { commandLine } from "#domain/stack/command-line.ts";
import { type Detection, NO_CODE, SURE } from "#domain/stack/detect/detection.ts";
import { meantProfile, type Profile } from "#domain/stack/profile/profile.ts";
import { CONFIG_PATH, STACK_FOLDER } from "#domain/workspace/path.ts";
import { defineOperation } from "../operation.ts";
import type { StackSurvey } from "../ports/stacks.ts";
import type { StackDetect, StackDetected } from "./schema.ts";

type Output = z.infer<typeof StackDetected>;
type Stack = Output["stacks"][number];
type Guidance = NonNullable<Output["guidance"]>;

const MOST = 30;

export const detectStacks = defineOperation<z.infer<typeof StackDetect>, Output>({
  id: "stack.detect",
  effect: "read",
  input: async () => (await import("./schema.ts")).StackDetect,
  output: async () => (await import("./schema.ts")).StackDetected,
  async run(engine, { profile: wanted }) {
    const survey = await engine.stacks.survey();
    const profiles = survey.profiles.map(({ id }) => id);
    if (wanted !== undefined) {
      return {
        stacks: [],
        omitted: 0,
        problems: [],
        profiles,
        guidance: guidance(theProfile(survey.profiles, wanted)),
      };
    }
    const shown = primaryFirst(survey.detections).slice(0, MOST);
    return {
      stacks: shown.map((detection) => stackOf(survey, detection)),
      omitted: survey.detections.length - shown.length,
      problems: [...survey.definitions.problems],
      profiles,
    };
  },
  page: (output) => (output.guidance ? guidancePage(output.guidance) : stacksPage(output)),
});

const primaryFirst = (detections: readonly Detection[]): Detection[] =>
  detections.toSorted((a, b) => Number(b.isPrimary) - Number(a.isPrimary));

function stackOf({ definitions }: StackSurvey, detection: Detection): Stack {
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
      command: commandLine(run, variables),
      ...(fix ? { fix: commandLine(fix) } : {}),
    })),
    missing: (use?.missing ?? []).map(({ kind, how }) => ({ kind, how })),
  };
}

export function theProfile(profiles: readonly Profile[], name: string): Profile {
  const profile = meantProfile(name, profiles);
  if (profile) return profile;
  const ids = profiles.map(({ id }) => id);
  const meant = findClosestWord(name, ids);
  throw new Fault("stack.unknown-profile", {
    what: `There is no profile ${quote(name, 60)}.`,
    why: `There are ${ids.join(", ")}.`,
    fix: { operation: "stack.detect", ...(meant === undefined ? {} : { input: { profile: meant } }) },
  });
}

function guidance(profile: Profile): Guidance {
  const { id, title, description, test_framework, patterns } = profile;
  return {
    id,
    title,
    description,
    test_framework,
    patterns: { ...patterns },
    conventions: [...profile.conventions],
    enforcement: [...profile.enforcement],
    docs: [...profile.docs],
    examples: profile.examples.map(({ name, code }) => ({ name, code })),
  };
}

function guidancePage({ id, title, description, test_framework, ...how }: Guidance): Page {
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

function stacksPage({ stacks, omitted, problems }: Output): Page {
  const [primary] = stacks;
  const isEmpty = omitted === 0 && stacks.every(({ because }) => because.includes(NO_CODE));
  const commands = stacks.flatMap(({ directory, checks }) =>
    checks.map(({ kind, command }) => `${directory} ${kind}: ${command}`),
  );
  return {
    title: titleOf(stacks, omitted),
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
      ...(isEmpty ? [] : [...stacks.flatMap(lacks), ...hints(stacks, omitted)]),
    ],
    next: isEmpty
      ? [{ operation: "project.init", input: { name: "…", description: "…" } }]
      : primary
        ? [{ operation: "stack.detect", input: { profile: primary.profile } }]
        : [],
  };
}

const lacks = ({ directory, missing }: Stack): string[] =>
  missing.map(({ kind, how }) => `${sanitizeText(directory, 200)}: nothing for ${kind}. ${sanitizeText(how, 400)}`);

function titleOf(stacks: readonly Stack[], omitted: number): string {
  const [primary] = stacks;
  if (!primary) return "No stack was found.";
  if (primary.profile === "generic" && primary.confidence === 0)
    return `The stack is not known: ${primary.because.join(", ")}.`;
  const where = primary.directory === "." ? "" : ` in ${sanitizeText(primary.directory, 200)}`;
  if (stacks.length === 1) return `${primary.profile}${where}.`;
  return `${formatCount(stacks.length + omitted, "stack")}; the primary one is ${primary.profile}${where}.`;
}

function hints(stacks: readonly Stack[], omitted: number): string[] {
  const unsure = stacks
    .filter(({ confidence }) => confidence < SURE)
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
