import { listBorrowedFolders } from "#checking/model/stack/stack-check.ts";
import { type CheckDefinitions, SETUP_PURPOSE } from "#checking/model/stack/trusted-surface.ts";
import { findTrustedDefinitions, TRUST_NEEDED } from "#checking/operations/gate/load-trusted-checks.ts";
import { Fault } from "#kernel/model/fault.ts";
import type { Page } from "#kernel/model/page.ts";
import { findClosestWord, formatCount, quote, quoteShellWord } from "#kernel/model/text-format.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import { listTestObstacles } from "#roadmap/operations/lead/feature-tests.ts";
import { listImplementationFiles, readLead } from "#roadmap/operations/lead/lead-store.ts";
import { formatForecastRange } from "#roadmap/operations/management/manage-answer.ts";
import { runRoadmap } from "#roadmap/operations/management/run-roadmap.ts";
import { type AgentSettings, findAgentProgram, KNOWN_AGENTS, listAgentNames } from "../model/agent-catalog.ts";
import { type AgentLimits, DEFAULT_AGENTS_AT_ONCE, parseAgentLimits } from "../model/agent-slots.ts";
import type { RunningEngine } from "./engine.ts";
import { attachRun } from "./attach-run.ts";
import { runLoop } from "./run-loop.ts";
import { runSingleWork } from "./run-single-work.ts";
import { findSingleWork, ownsDocument } from "./single-work.ts";
import { RUN_LEASE, withTeamLease } from "./team-lease.ts";
import { TeamLead } from "./team-run.ts";
import { workForTeam } from "./team-worker.ts";
import { EMPTY_RUN_OUTPUT, type PreparedRun, type StartRunInput, type StartRunOutput } from "./run-context.ts";
import { loadRunRecord } from "./run-store.ts";

export const startRun = defineOperation<StartRunInput, StartRunOutput, RunningEngine>({
  id: "run.start",
  effect: "change",
  isLong: true,
  input: async () => (await import("./schema.ts")).StartRunInputSchema,
  output: async () => (await import("./schema.ts")).StartRunOutputSchema,
  async run(engine, input) {
    if (input.attach) return attachRun(engine);
    if (input.work !== undefined) return runNamedWork(engine, input, input.work);
    if (input.plan) return planRun(engine, input);
    if (engine.store.isTeam === true) return holdRun(engine, () => runInTeam(engine, input));
    const prepared = await prepareRun(engine, input);
    return holdRun(engine, () => runLoop(engine, prepared));
  },
  page: formatRunPage,
  isRefusal: ({ waiting, questions, failed }) => waiting.length + questions.length + failed.length > 0,
});

async function runNamedWork(engine: RunningEngine, input: StartRunInput, name: string): Promise<StartRunOutput> {
  const [flag] = (["plan", "once", "gate", "until"] as const).filter((each) => input[each] !== undefined);
  if (flag !== undefined)
    throw createStartFault(
      `--${flag} is for a roadmap, and you named one piece of work.`,
      `tenon run ${quoteShellWord(name)}`,
    );
  const work = await findSingleWork(engine, name);
  const prepared = await prepareRun(engine, input);
  await assertCommitted(engine, "documents", (path) => work.id !== undefined && ownsDocument(work, path));
  return holdRun(engine, () => runSingleWork(engine, prepared, work));
}

/** Leads the run of the team, or works for the clone that does until it is gone, and leads then. */
async function runInTeam(engine: RunningEngine, input: StartRunInput): Promise<StartRunOutput> {
  for (;;) {
    const led = await withTeamLease(engine, RUN_LEASE, async (held) => {
      const { branch } = await findTarget(held);
      const team = new TeamLead(held, branch);
      const problem = await team.begin();
      if (problem !== undefined) throw createStartFault(problem, "git status");
      return runLoop(held, { ...(await prepareRun(held, input)), team });
    });
    if (led) return led.result;
    const joined = await workForTeam(engine, await prepareAgents(engine, input), "now");
    if (joined && engine.progress.cancelled.aborted) return joined;
  }
}

/** `store.exclusively`, with a fault that names the run. */
export async function holdRun<T>(engine: RunningEngine, work: () => Promise<T>): Promise<T> {
  let isHeld = false;
  try {
    return await engine.store.exclusively("run", () => {
      isHeld = true;
      return work();
    });
  } catch (error) {
    if (isHeld || !(error instanceof Fault) || error.code !== "store.claimed") throw error;
    throw new Fault("run.active", {
      what: "No second run was started.",
      why: "Another process runs this roadmap.",
      fix: { operation: "run.show" },
    });
  }
}

async function planRun(engine: RunningEngine, { cap_tokens, gate }: StartRunInput): Promise<StartRunOutput> {
  const limits = { ...(cap_tokens === undefined ? {} : { cap_tokens }), ...(gate === undefined ? {} : { gate }) };
  const { said, forecast, notes } = await runRoadmap(engine, { action: "run", plan: true, ...limits });
  const waves = forecast.map(
    ({ wave, features, runs, tokens }) =>
      `Wave ${wave} (${formatCount(features, "feature")}): ${formatForecastRange(runs)} agent runs, ${formatForecastRange(tokens)} tokens`,
  );
  return { ...EMPTY_RUN_OUTPUT, ended: said, notes: [...waves, ...notes] };
}

async function prepareRun(engine: RunningEngine, input: StartRunInput): Promise<PreparedRun> {
  const prepared = await prepareAgents(engine, input);
  const record = await loadRunRecord(engine);
  const known = record?.work === input.work && input.cap_usd === undefined ? record : undefined;
  if (input.work === undefined) await prepareRoadmap(engine, input);
  const obstacles = await listTestObstacles(engine);
  if (obstacles.length > 0) {
    const fix = obstacles.some((each) => each.endsWith(TRUST_NEEDED)) ? "tenon trust" : "tenon doctor";
    throw createStartFault(`No work can pass its gate. ${obstacles.join(" ")}`, fix);
  }
  return { ...prepared, capUsd: known ? known.cap_usd : input.cap_usd || null, spentUsd: known?.usd ?? 0 };
}

async function findTarget({ landings }: RunningEngine) {
  const target = await landings.target();
  if (target) return target;
  const why = "There is no branch to land the work on, or it has no commit.";
  throw createStartFault(why, 'git add -A && git commit -m "Begin"');
}

/** Everything that agents need, in the clone that leads or in another one. */
export async function prepareAgents(engine: RunningEngine, input: StartRunInput): Promise<PreparedRun> {
  const { run } = await engine.settings.load();
  const programs = await loadTrustedPrograms(engine);
  const limits = await resolveLimits(engine, run, input.agent);
  const { branch } = await findTarget(engine);
  const stacks = (await engine.stacks.definitions())?.stacks ?? [];
  return {
    settings: run,
    limits,
    branch,
    linked: listBorrowedFolders(stacks),
    setup: programs[SETUP_PURPOSE] ?? [],
    minutes: run.minutes,
    silenceMinutes: run.silence_minutes,
    capUsd: input.cap_usd || null,
    spentUsd: 0,
    input,
  };
}

async function prepareRoadmap(engine: RunningEngine, { cap_tokens, gate }: StartRunInput): Promise<void> {
  const files = new Set(listImplementationFiles([...(await readLead(engine)).features.values()]));
  await assertCommitted(engine, "files of features", (path) => files.has(path));
  await runRoadmap(engine, {
    action: "run",
    ...(cap_tokens === undefined ? {} : { cap_tokens }),
    ...(gate === undefined ? {} : { gate }),
  });
}

export const createStartFault = (why: string, fix: string): Fault =>
  new Fault("run.not-ready", { what: "No agent was started.", why, fix });

/** Commands of the settings run like checks: only after the user has seen them. */
export async function loadTrustedPrograms(engine: RunningEngine): Promise<NonNullable<CheckDefinitions["programs"]>> {
  const working = await engine.stacks.definitions();
  if (working?.programs === undefined) return {};
  const found = await findTrustedDefinitions(engine, working, async () => undefined);
  if ("refused" in found)
    throw createStartFault(
      `sdd/config.yaml names commands for agents or worktrees. ${found.refused.why}`,
      "tenon trust",
    );
  return found.definitions.programs ?? {};
}

/** Worktrees start from the last commit, so it must hold the base of the agents' work. */
async function assertCommitted(
  engine: RunningEngine,
  what: string,
  isNeeded: (path: string) => boolean,
): Promise<void> {
  const open = (await engine.snapshots.uncommitted()).filter(isNeeded);
  if (open.length === 0) return;
  const why = `Agents start from the last commit, and these ${what} are not in it: ${open.slice(0, 5).join(", ")}.`;
  throw createStartFault(why, 'git add -A && git commit -m "Work so far"');
}

/** The agents of `--agent`, of the settings, or the first that is installed. Each of them must start. */
async function resolveLimits(
  engine: RunningEngine,
  settings: AgentSettings,
  said: string | undefined,
): Promise<AgentLimits> {
  const given = parseLimits(said);
  const names = listWantedAgents(settings, said);
  for (const name of names) {
    const problem = await findAgentFault(engine, settings, name);
    if (problem) throw problem;
  }
  if (names.length > 0) return Object.fromEntries(names.map((name) => [name, given[name] ?? DEFAULT_AGENTS_AT_ONCE]));
  for (const name of Object.keys(KNOWN_AGENTS))
    if (!(await findAgentFault(engine, settings, name))) return { [name]: DEFAULT_AGENTS_AT_ONCE };
  throw createStartFault(
    `None of these agents is installed: ${Object.values(KNOWN_AGENTS)
      .map(({ title }) => title)
      .join(", ")}.`,
    "Install one, sign in, and try again: tenon run --agent claude=2",
  );
}

function parseLimits(said: string | undefined): AgentLimits {
  const given = said === undefined ? {} : parseAgentLimits(said);
  if (given) return given;
  throw new Fault("run.bad-agents", {
    what: "No agent was started.",
    why: "`--agent` names agents and how many of each may work at once.",
    fix: "tenon run --agent claude=2,codex=1",
  });
}

/** The agents of `--agent`, or of the settings. Empty if neither names one. */
export const listWantedAgents = ({ agents }: AgentSettings, said: string | undefined): string[] =>
  said === undefined
    ? [...new Set(Object.values(agents).map((name) => name.split(":")[0] ?? ""))]
    : Object.keys(parseLimits(said));

export async function findAgentFault(
  engine: RunningEngine,
  settings: AgentSettings,
  name: string,
): Promise<Fault | undefined> {
  const program = findAgentProgram(name, settings);
  const names = listAgentNames(settings);
  const near = findClosestWord(name, names);
  if (!program)
    return createStartFault(
      `Unknown agent ${quote(name, 40)}${near === undefined ? `: choose from ${names.join(", ")}.` : `. Did you mean "${near}"?`}`,
      `tenon run --agent ${near ?? "claude=2"}`,
    );
  const { code, out } = await engine.agents.ask([program.program, "--version"]);
  if (code === 0) return undefined;
  const why =
    code === null
      ? `${program.title} is not installed: ${out}`
      : `\`${program.program} --version\` failed with exit code ${code}.`;
  return createStartFault(why, `${program.program} --version`);
}

export function formatRunPage(output: StartRunOutput): Page {
  const { run, work, branch, landed, failed, waiting, questions, tokens, usd, ended, notes } = output;
  const costs = `${formatCount(tokens, "token")}${usd > 0 ? `, $${usd.toFixed(2)}` : ""}`;
  return {
    title: ended,
    ...(run === ""
      ? {}
      : {
          facts: [
            ["branch", branch],
            ["accepted", formatCount(landed, "action")],
            ["used", costs],
          ],
        }),
    points: [
      ...failed.map((action) => `Failed: ${action}`),
      ...waiting.map(({ action, why }) => `${action} waits: ${why}`),
      ...questions.map(({ action, detail, choices }) => `${action} asks: ${detail} Choose ${choices.join(" or ")}.`),
      ...notes,
    ],
    next: [
      ...questions.slice(0, 1).map(({ action }) => ({ operation: "approval.answer", input: { id: action } })),
      ...(waiting.length + questions.length > 0 || run === ""
        ? [{ operation: "run.start", ...(work === undefined ? {} : { input: { work } }) }]
        : []),
    ],
  };
}
