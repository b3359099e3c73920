import { ROLE_FACTS, type RoadmapRole } from "#roadmap/model/agent/agent-roles.ts";
import { readCommandWords, type RunCommand } from "#kernel/model/workspace-config.ts";
import table from "../../../assets/agents.json" with { type: "json" };
import type { StreamForm } from "./agent-stream.ts";

/** A program that does one action of a run without a terminal. */
export interface AgentProgram {
  readonly title: string;
  readonly program: string;
  readonly argv: readonly string[];
  /** Arguments for a new session and for one that continues. Without `{session}` in `new` the agent names it. */
  readonly new: readonly string[];
  readonly resume: readonly string[] | null;
  readonly model?: readonly string[];
  readonly models?: Readonly<Record<string, string>>;
  readonly tools?: Readonly<Record<string, string>>;
  readonly sandbox?: Readonly<Record<"read" | "write", string>>;
  /** The agent's own limit of costs. */
  readonly usd?: readonly string[];
  /** Files that the program itself completes when it starts. They are not the agent's work. */
  readonly rewrites?: readonly string[];
  readonly stream: StreamForm;
  readonly login: string;
}

export interface AgentSettings {
  readonly agents: Readonly<Record<string, string>>;
  readonly commands: Readonly<Record<string, RunCommand>>;
}

export const KNOWN_AGENTS = table as unknown as Readonly<Record<string, AgentProgram>>;

/** A known agent, or a command of the settings. */
export function findAgentProgram(name: string, { commands }: AgentSettings): AgentProgram | undefined {
  const own = commands[name];
  if (own === undefined) return Object.hasOwn(KNOWN_AGENTS, name) ? KNOWN_AGENTS[name] : undefined;
  const [program = "", ...argv] = readCommandWords(own);
  // A known client behind a command of the settings signs in and completes its files as ever.
  const client = Object.values(KNOWN_AGENTS).find((each) => each.program === program.split("/").at(-1));
  const { login = `${program} --help`, rewrites = [] } = client ?? {};
  const known = { title: name, program, argv, new: [], login, rewrites };
  return "protocol" in own ? { ...known, resume: [], stream: "acp" } : { ...known, resume: null, stream: "text" };
}

export const listAgentNames = ({ commands }: AgentSettings): string[] => [
  ...Object.keys(KNOWN_AGENTS),
  ...Object.keys(commands).filter((name) => !Object.hasOwn(KNOWN_AGENTS, name)),
];

/** An agent and its model: `codex`, or `claude:opus`. */
export interface AgentChoice {
  readonly name: string;
  readonly model?: string;
}

function parseAgentChoice(text: string): AgentChoice {
  const [name = "", ...model] = text.split(":");
  return model.length === 0 ? { name } : { name, model: model.join(":") };
}

/** The setting of the role, of its group (`inspector`, `auditor`) or the default. Undefined if none is set. */
export function chooseRoleAgent(role: RoadmapRole, { agents }: AgentSettings): AgentChoice | undefined {
  const found = agents[role] ?? agents[role.split("-")[0] ?? ""] ?? agents["default"];
  return found === undefined ? undefined : parseAgentChoice(found);
}

export interface AgentCommandRequest {
  readonly program: AgentProgram;
  readonly role: RoadmapRole;
  readonly model?: string | undefined;
  readonly session?: string | undefined;
  readonly isResumed: boolean;
  readonly usd?: number | undefined;
}

/** The command line. The brief is its input. */
export function buildAgentCommand({ program, role, model, session, isResumed, usd }: AgentCommandRequest): string[] {
  const { tools, writes, model: tier } = ROLE_FACTS[role];
  const own = program.tools;
  const allowed = own && tools.map((tool) => own[tool]).filter((tool) => tool !== undefined);
  const chosen = model ?? program.models?.[tier];
  const words = [
    ...program.argv,
    ...(own && allowed ? [own["flag"] ?? "", allowed.join(",")] : []),
    ...(program.model ?? []),
    ...(program.usd ?? []),
    ...(isResumed ? (program.resume ?? []) : program.new),
  ];
  const values: Readonly<Record<string, string | undefined>> = {
    session,
    model: chosen,
    usd: usd?.toFixed(2),
    sandbox: program.sandbox?.[writes === null ? "read" : "write"],
  };
  const isUnset = (word = ""): boolean =>
    [...word.matchAll(PLACEHOLDER)].some(([, name = ""]) => name in values && values[name] === undefined);
  // A flag goes with its missing value: `--model {model}` without a model.
  const kept = words.filter((word, i) => !isUnset(word) && !(word.startsWith("-") && isUnset(words[i + 1])));
  return [program.program, ...kept.map((word) => word.replace(PLACEHOLDER, (all, name) => values[name] ?? all))];
}

/** Whom `tenon run` speaks with instead of starting a command: the session that continues, and the model. */
export function createAcpOptions({ program, model, session, isResumed }: AgentCommandRequest) {
  if (program.stream !== "acp") return {};
  const isNamed = program.argv.some((word) => word.includes("{model}"));
  return {
    acp: {
      ...(isResumed && session !== undefined ? { session } : {}),
      ...(model === undefined || isNamed ? {} : { model }),
    },
  };
}

const PLACEHOLDER = /\{(\w+)\}/g;

export const isSessionChosen = ({ new: words }: AgentProgram): boolean => words.includes("{session}");
