import { formatShortList, sanitizeText } from "#kernel/model/text-format.ts";
import { Fault } from "#kernel/model/fault.ts";
import { CONFIG_PATH } from "#kernel/model/workspace-paths.ts";
import { type CheckKind, type FolderStack, OPTIONAL_CHECKS, type StackCheck } from "../../model/stack/stack-check.ts";
import { describeLicenseCheck, LICENSE_CHECKS } from "../../model/stack/license-checks.ts";
import { createTrustedSurface, isIdleSurface } from "../../model/stack/trusted-surface.ts";
import type { CheckingEngine } from "../engine.ts";

export interface GateReadiness {
  /** `nothing` if no command would run here. */
  readonly trust: "nothing" | "untrusted" | "changed" | "trusted";
  readonly commands: number;
  /** Whether no person confirmed the trust in a terminal. */
  readonly isUnattended?: boolean;
  /** Checks that gates need and that have no tool. */
  readonly missing: readonly MissingCheck[];
  readonly absent: readonly AbsentTool[];
  /** Settings and profiles that cannot be used. With one, no check runs. */
  readonly problems: readonly string[];
  /** Checks of the project that Tenon's own files would fail. */
  readonly licenses: readonly { readonly found: string; readonly fix: string }[];
}

interface MissingCheck {
  readonly kind: CheckKind;
  readonly how: string;
}

export interface AbsentTool {
  readonly program: string;
  readonly directory: string;
  readonly kinds: readonly CheckKind[];
  /** The command that installs it; empty if no profile knows one. */
  readonly install: string;
}

const EMPTY_READINESS: GateReadiness = {
  trust: "nothing",
  commands: 0,
  missing: [],
  absent: [],
  problems: [],
  licenses: [],
};

type ReadinessEngine = Pick<CheckingEngine, "stacks" | "trust" | "digest" | "isInstalled" | "root" | "source">;

/** Whether gates can run here: the user's trust in their commands, and a tool for each check. */
export async function readGateReadiness(engine: ReadinessEngine): Promise<GateReadiness> {
  const definitions = await engine.stacks.definitions();
  if (!definitions) return EMPTY_READINESS;
  const surface = createTrustedSurface(definitions, (text) => engine.digest(text));
  const { problems } = definitions;
  if (isIdleSurface(surface)) return { ...EMPTY_READINESS, problems };
  const granted = await engine.trust.granted();
  const isSame = granted?.surface.hash === surface.hash;
  const trust = isSame ? "trusted" : granted ? "changed" : "untrusted";
  const isWaived = (kind: CheckKind): boolean => Object.hasOwn(definitions.gates.waived, nameGateCheck(kind));
  // A folder without any check is not one that gates judge.
  const used = definitions.stacks.filter(({ checks }) => checks.length > 0);
  const kinds = Map.groupBy(
    used.flatMap((stack) => stack.missing),
    ({ kind }) => kind,
  );
  const missing = [...kinds].flatMap(([kind, [first]]) =>
    first && !isWaived(kind) && !OPTIONAL_CHECKS.has(kind) ? [first] : [],
  );
  const absent = await Promise.all(used.map((stack) => findAbsentTools(engine, stack, isWaived)));
  const isUnattended = isSame && granted?.proof === "unattended";
  const licenses = await findLicenseChecks(engine);
  return { trust, commands: surface.commands.length, isUnattended, missing, absent: absent.flat(), problems, licenses };
}

async function findLicenseChecks({ source }: Pick<ReadinessEngine, "source">) {
  const found = LICENSE_CHECKS.map(async (check) => {
    const text = await source.text(check.file);
    return (text !== undefined && describeLicenseCheck(check, text)) || [];
  });
  return (await Promise.all(found)).flat();
}

async function findAbsentTools(
  { isInstalled, root }: ReadinessEngine,
  stack: FolderStack,
  isWaived: (kind: CheckKind) => boolean,
): Promise<AbsentTool[]> {
  const { directory, install = "" } = stack;
  const folder = directory === "." ? root : `${root}/${directory}`;
  const byProgram = Map.groupBy(
    stack.checks.filter(({ kind }) => !isWaived(kind)),
    getCheckProgram,
  );
  const found = [...byProgram].map(async ([program, checks]): Promise<AbsentTool[]> => {
    if (program === "" || (await isInstalled(program, folder))) return [];
    const own = checks.find((check) => check.install !== undefined)?.install;
    return [{ program, directory, kinds: [...new Set(checks.map(({ kind }) => kind))], install: own ?? install }];
  });
  return (await Promise.all(found)).flat();
}

/** The program that a check starts. Cargo's subcommands are programs of their own. */
function getCheckProgram({ run }: StackCheck): string {
  if ("shell" in run) return "";
  const [program = "", word = ""] = run.argv;
  return program === "cargo" && /^(?:fmt|clippy)$/.test(word) ? `cargo-${word}` : program;
}

/** What gates and the settings call a kind of check. */
const nameGateCheck = (kind: CheckKind): string => (kind === "test" ? "tests" : kind);

/** For the start of work: an agent that hears it at the gate hears it too late. */
export async function describeMissingTools(
  engine: ReadinessEngine,
  required: readonly string[] = [],
): Promise<string[]> {
  const readiness = await readGateReadiness(engine).catch((error: unknown) => {
    if (error instanceof Fault) return EMPTY_READINESS;
    throw error;
  });
  const isTrusted = readiness.trust === "trusted" || readiness.trust === "nothing";
  return [
    ...(isTrusted ? [] : ["Gates cannot run this repository's commands until the user trusts them: tenon trust"]),
    ...describeSettingProblems(readiness),
    ...describeAbsentTools(readiness.absent),
    ...readiness.licenses.map(({ found, fix }) => `${found}. ${fix}`),
    ...readiness.missing.flatMap(({ kind, how }) => {
      const check = nameGateCheck(kind);
      if (!required.includes(check)) return [];
      return [
        `Gates need ${check}, which is not configured. ${how} Or the user waives it: gates.waived.${check} in ${CONFIG_PATH}.`,
      ];
    }),
  ];
}

export const describeSettingProblems = ({ problems }: Pick<GateReadiness, "problems">): string[] =>
  problems.map((problem) => `${sanitizeText(problem, 400)}.`);

export function describeAbsentTools(absent: readonly AbsentTool[]): string[] {
  const groups = Map.groupBy(absent, ({ directory, install }) => `${directory}\n${install}`);
  return [...groups.values()].map((tools) => {
    const [{ directory, install } = { directory: ".", install: "" }] = tools;
    const names = formatShortList(
      tools.map(({ program }) => sanitizeText(program, 60)),
      5,
    );
    const kinds = [...new Set(tools.flatMap((tool) => tool.kinds))].join(", ");
    const where = directory === "." ? "" : ` in ${sanitizeText(directory, 200)}`;
    const fix = install === "" ? "" : ` Install ${tools.length === 1 ? "it" : "them"}${where}: ${install}`;
    return `Gates cannot run ${kinds}: ${names} ${tools.length === 1 ? "is" : "are"} not installed.${fix}`;
  });
}
