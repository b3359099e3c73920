import type * as z from "zod";
import { formatCount, sanitizeText } from "#kernel/model/text-format.ts";
import { formatDuration } from "#kernel/model/utc-time.ts";
import { throwIfCancelled } from "#kernel/operations/call-progress.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import { foldJournalIntoLedger } from "#planning/operations/workflow/fold-journal.ts";
import { SESSION_SPACE } from "#planning/operations/workflow/ledger-spaces.ts";
import {
  type AgentProgram,
  buildAgentCommand,
  createAcpOptions,
  findAgentProgram,
  isSessionChosen,
  KNOWN_AGENTS,
} from "../model/agent-catalog.ts";
import { type AgentOutput, EMPTY_OUTPUT, isLoginProblem, readAgentLine, readLimitWait } from "../model/agent-stream.ts";
import type { RunningEngine } from "./engine.ts";
import { createUuid, describeEnding } from "./run-agent.ts";
import { getTranscriptPath } from "./run-context.ts";
import type { CheckAgentsInputSchema, CheckAgentsOutputSchema } from "./schema.ts";
import { findAgentFault, listWantedAgents, loadTrustedPrograms } from "./start-run.ts";

type CheckAgentsOutput = z.infer<typeof CheckAgentsOutputSchema>;
type AgentCheck = CheckAgentsOutput["agents"][number];

const CALL_TIMEOUT_S = 180;
const MAX_TRANSCRIPT_BYTES = 64 * 1024;

/** Asks each agent for one word. Only an answer proves that it is installed, signed in and within its limits. */
export const checkAgents = defineOperation<z.infer<typeof CheckAgentsInputSchema>, CheckAgentsOutput, RunningEngine>({
  id: "run.check",
  effect: "change",
  isLong: true,
  mayBePlain: true,
  input: async () => (await import("./schema.ts")).CheckAgentsInputSchema,
  output: async () => (await import("./schema.ts")).CheckAgentsOutputSchema,
  async run(engine, { agent }) {
    const { run: settings } = await engine.settings.load();
    await loadTrustedPrograms(engine);
    const wanted = listWantedAgents(settings, agent);
    const agents: AgentCheck[] = [];
    for (const name of wanted.length > 0 ? wanted : Object.keys(KNOWN_AGENTS)) {
      const fault = await findAgentFault(engine, settings, name);
      if (fault && wanted.length === 0) continue;
      const program = findAgentProgram(name, settings);
      engine.progress.tell(`Asking ${program?.title ?? name} for one word`);
      agents.push(
        fault || !program ? { agent: name, problem: fault?.why ?? "" } : await callAgent(engine, name, program),
      );
    }
    return { agents };
  },
  page({ agents }) {
    const failed = agents.filter(({ problem }) => problem !== undefined).length;
    const told =
      failed === 0 ? `${formatCount(agents.length, "agent")} can work.` : `${failed} of ${agents.length} cannot work.`;
    const show = (value: boolean | undefined): string => (value === undefined ? "unknown" : value ? "yes" : "no");
    return {
      title: agents.length === 0 ? "No agent is installed." : told,
      table: {
        columns: ["agent", "version", "answers", "Tenon's tools", "Tenon's hooks"],
        rows: agents.map(({ agent, version = "", problem, tools, hooks }) => [
          agent,
          version,
          problem === undefined ? "yes" : "no",
          show(tools),
          show(hooks),
        ]),
      },
      points: agents.flatMap(({ agent, problem, notes = [] }) =>
        [...(problem === undefined ? [] : [problem]), ...notes].map((text) => `${agent}: ${text}`),
      ),
      next: agents.length > 0 && failed === 0 ? [{ operation: "run.start", input: { plan: true } }] : [],
    };
  },
  isRefusal: ({ agents }) => agents.length === 0 || agents.some(({ problem }) => problem !== undefined),
});

async function callAgent(engine: RunningEngine, agent: string, program: AgentProgram): Promise<AgentCheck> {
  const [first = ""] = (await engine.agents.ask([program.program, "--version"])).out.trim().split("\n");
  const version = /\d+\.\d+[\w.-]*/.exec(first)?.[0];
  const tag = `check/${agent}/${engine.clock.now()}`;
  const session = isSessionChosen(program) ? createUuid(engine, tag) : undefined;
  const output = getTranscriptPath(engine.root, "check", agent, 1);
  let said: AgentOutput = EMPTY_OUTPUT;
  const request = { program, role: "inspector-quality", session, isResumed: false } as const;
  const problem = await engine.agents.start({
    argv: buildAgentCommand(request),
    ...createAcpOptions(request),
    folder: engine.root,
    input: await engine.assets.text("run/check"),
    tag,
    variables: {},
    output,
  });
  const known = { agent, ...(version === undefined ? {} : { version }) };
  if (problem) return { ...known, problem: `${program.title} cannot be started: ${problem.why}` };
  const ending = await engine.agents.watch({
    tag,
    output,
    silence_s: CALL_TIMEOUT_S,
    timeout_s: CALL_TIMEOUT_S,
    cancelled: engine.progress.cancelled,
    line: (text) => void (said = readAgentLine(program.stream, said, text)),
  });
  throwIfCancelled(engine.progress);
  await engine.agents.keep(output, MAX_TRANSCRIPT_BYTES, async (text) => (await engine.secrets.mask(text)).text);
  const isFine = ending.how === "exited" && ending.code === 0 && said.error === undefined && said.text.trim() !== "";
  if (!isFine)
    return {
      ...known,
      problem:
        explainCall(engine, program, `${said.error ?? ""}\n${ending.errors}`) ??
        describeEnding(ending, said, CALL_TIMEOUT_S),
    };
  const { tools, hooks } = await findConnection(engine, agent, program, said.session);
  const notes = [
    ...(tools === false ? [`It does not see Tenon's tools. Run \`tenon setup ${agent}\`.`] : []),
    ...(hooks === false
      ? [
          `Tenon's hooks did not run. Run \`tenon setup ${agent}\`, then start ${program.program} here and trust the hooks.`,
        ]
      : []),
  ];
  return { ...known, ...(tools === undefined ? {} : { tools }), ...(hooks === undefined ? {} : { hooks }), notes };
}

function explainCall({ clock }: RunningEngine, { title, login }: AgentProgram, trouble: string): string | undefined {
  const seconds = readLimitWait(trouble, Math.floor(Date.parse(clock.now()) / 1000), 0);
  if (seconds !== undefined)
    return `Its provider has a limit, for about ${formatDuration(seconds)}: ${sanitizeText(trouble.trim(), 200)}`;
  return isLoginProblem(trouble) ? `${title} is not signed in. Run: ${login}` : undefined;
}

/** Agents of a run need neither: the comparison before a merge protects records. Undefined if it cannot be known. */
async function findConnection(
  engine: RunningEngine,
  agent: string,
  { program }: AgentProgram,
  session: string | undefined,
) {
  if (!Object.hasOwn(KNOWN_AGENTS, agent)) return {};
  const { code, out } = await engine.agents.ask([program, "mcp", "list"], engine.root);
  await foldJournalIntoLedger(engine);
  const sessions = await engine.store.read((tree) => tree.kept(SESSION_SPACE));
  return {
    ...(code === 0 ? { tools: /\btenon\b/.test(out) } : {}),
    ...(session === undefined ? {} : { hooks: sessions.has(session) }),
  };
}
