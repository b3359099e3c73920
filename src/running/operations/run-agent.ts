import { Fault } from "#kernel/model/fault.ts";
import { renderTemplate } from "#kernel/model/template.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import { formatDuration } from "#kernel/model/utc-time.ts";
import type { AgentEnding } from "#kernel/operations/ports/agent-processes.ts";
import { throwIfCancelled } from "#kernel/operations/call-progress.ts";
import {
  type AgentProgram,
  buildAgentCommand,
  createAcpOptions,
  findAgentProgram,
  isSessionChosen,
} from "../model/agent-catalog.ts";
import { type AgentOutput, EMPTY_OUTPUT, isLoginProblem, readAgentLine, readLimitWait } from "../model/agent-stream.ts";
import { formatWorktreeName, type RunAction, type RunEvent } from "../model/run-action.ts";
import { getTranscriptPath, type RunContext, type RunJob } from "./run-context.ts";
import { isActionStopped, saveRunEvent, saveSpending } from "./run-store.ts";

const MAX_TRANSCRIPT_BYTES = 2 * 1024 * 1024;
const SETUP_TIMEOUT_S = 1_800;
/** Below this much free space no worktree is created. */
const MIN_FREE_BYTES = 200 * 1024 * 1024;

/** Starts the agent, or goes on with one that a killed run started, and stores how it ended. */
export async function runAgent(run: RunContext, job: RunJob, entry: RunAction): Promise<RunAction | "blocked"> {
  const { engine } = run;
  const program = findAgentProgram(entry.agent, run.settings);
  if (!program) return block(run, job, `Unknown agent "${entry.agent}". Set another one: tenon run --agent claude=1`);
  const known = entry.tag === undefined ? await startAgent(run, job, entry, program) : entry;
  if (known === "blocked") return known;
  if (entry.tag !== undefined) tellStart(run, job, known, "adopted");
  const number = known.starts + known.resumes + known.waits + known.rejections;
  const output = getTranscriptPath(engine.root, known.run, formatWorktreeName(job.id, engine.digest), number);
  const { ending, said } = await watch(run, job, program, known, output);
  // A cancelled agent is continued by the next run.
  throwIfCancelled({ cancelled: run.cancelled });
  const mask = async (text: string): Promise<string> => (await engine.secrets.mask(text)).text;
  await engine.agents.keep(output, MAX_TRANSCRIPT_BYTES, mask);
  const paid = await saveSpending(engine, job.id, known, said);
  run.tell({ event: "ended", action: job.id, tokens: paid.tokens, usd: paid.usd });
  const isStopped = await isActionStopped(engine, job.id);
  const event = judgeEnding(run, job, paid, { ending, said, isStopped });
  return event === "blocked" ? event : saveRunEvent(engine, job.id, paid, event);
}

function block(run: RunContext, job: RunJob, why: string): "blocked" {
  run.block(job.id, why);
  return "blocked";
}

async function startAgent(
  run: RunContext,
  job: RunJob,
  entry: RunAction,
  program: AgentProgram,
): Promise<RunAction | "blocked"> {
  const { engine } = run;
  const { id } = job;
  const why = await run.waitForAgent(entry.agent);
  if (why !== undefined) return block(run, job, why);
  const name = formatWorktreeName(id, engine.digest);
  const isResumed = entry.next === "resume" && entry.session !== undefined && program.resume !== null;
  const place = await openWorktree(run, job, name, entry);
  if (typeof place === "string") return block(run, job, place);
  const session = isResumed
    ? entry.session
    : isSessionChosen(program)
      ? createUuid(engine, `${run.id} ${id} ${entry.at} ${entry.starts}`)
      : undefined;
  const starts = entry.starts + (isResumed ? 0 : 1);
  const number = starts + entry.resumes + entry.waits + entry.rejections;
  const tag = `${entry.run}/${id}/${number}`;
  const { base, start, folder } = place;
  const input = await composePrompt(run, job, entry, { folder, isResumed });
  const given = base === entry.base ? entry.given : await job.takeGiven?.(start);
  // Stored before the agent starts: whatever happens then, its processes are found.
  const started = { kind: "started", base, start, tag, isResumed, session } as const;
  const saved = await saveRunEvent(engine, id, entry, { ...started, ...(given === undefined ? {} : { given }) });
  const request = { program, role: job.role, model: entry.model, session, isResumed, usd: run.usdLeft() };
  const problem = await engine.agents.start({
    argv: buildAgentCommand(request),
    ...createAcpOptions(request),
    folder,
    input,
    tag,
    variables: {},
    output: getTranscriptPath(engine.root, entry.run, name, number),
  });
  if (problem) return block(run, job, `${program.title} cannot be started: ${problem.why}`);
  // Stopped while its worktree was made.
  if (await isActionStopped(engine, id)) await engine.agents.end(tag);
  tellStart(run, job, saved, isResumed ? "resumed" : "started");
  return saved;
}

function tellStart(run: RunContext, job: RunJob, { agent }: RunAction, event: "started" | "resumed" | "adopted") {
  run.tell({ event, action: job.id, role: job.role, about: job.about, agent });
}

/** The worktree of a session that continues, or a fresh one at the tip. */
async function openWorktree(
  run: RunContext,
  job: RunJob,
  name: string,
  { base, start }: Pick<RunAction, "start"> & { readonly base?: string | undefined },
) {
  const { engine, branch, linked } = run;
  const folder = await engine.landings.folder(name);
  if (base !== undefined && start !== undefined && folder !== undefined) return { base, start, folder };
  if ((await engine.landings.freeBytes()) < MIN_FREE_BYTES) return "The disk is almost full. Free some space: df -h";
  const prepare = (fresh: string): Promise<void> => prepareWorktree(run, fresh);
  if (job.pushed !== undefined) {
    const tip = await engine.remote.fetchTip(job.pushed);
    if (tip === undefined) return `The remote does not have ${job.pushed}.`;
    return { base: tip, ...(await engine.landings.open({ name, base: tip, linked, isExact: true, prepare })) };
  }
  const target = await engine.landings.target();
  if (target?.branch !== branch) return `${branch} is not checked out here. Run: git switch ${branch}`;
  const made = await engine.landings.open({
    name,
    base: target.tip,
    linked,
    prepare,
    isReadOnly: job.isReview === true,
  });
  return { base: target.tip, ...made };
}

async function prepareWorktree({ engine, setup, cancelled }: RunContext, folder: string): Promise<void> {
  if (setup.length === 0) return;
  const limits = { timeout_s: SETUP_TIMEOUT_S, silence_s: SETUP_TIMEOUT_S, cancelled };
  const done = await engine.runner.run({ run: { argv: setup }, folder, ...limits });
  await done.forget();
  throwIfCancelled({ cancelled });
  if (done.how === "exited" && done.code === 0) return;
  const last = done.why ?? done.output.tail.trim().split("\n").at(-1) ?? "";
  throw new Fault("run.not-ready", {
    what: "The worktree is not ready.",
    why: `\`${setup.join(" ")}\` failed in ${folder}: ${sanitizeText(last, 300)}`,
    fix: "tenon run",
  });
}

/** A uuid that the engine can create without a source of chance: version 4 by its form. */
export function createUuid({ digest }: Pick<RunContext["engine"], "digest">, text: string): string {
  const hex = digest(text);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

async function composePrompt(
  { engine }: RunContext,
  job: RunJob,
  { problems }: RunAction,
  { folder, isResumed }: { readonly folder: string; readonly isResumed: boolean },
) {
  const list = problems.map((problem) => `- ${problem}`).join("\n");
  const again = problems.length === 0 ? "" : renderTemplate(await engine.assets.text("run/again"), { problems: list });
  if (isResumed) return again === "" ? await engine.assets.text("run/continue") : again;
  return [await job.compose(folder), again].filter((part) => part !== "").join("\n\n");
}

async function watch(run: RunContext, job: RunJob, program: AgentProgram, known: RunAction, output: string) {
  let said: AgentOutput = EMPTY_OUTPUT;
  const ending = await run.engine.agents.watch({
    tag: known.tag ?? "",
    output,
    silence_s: run.silenceMinutes * 60,
    timeout_s: run.minutes * 60,
    cancelled: run.cancelled,
    line(text) {
      const before = said;
      said = readAgentLine(program.stream, said, text);
      if (said.tools === before.tools && said.tokens === before.tokens && said.usd === before.usd) return;
      run.measure(job.id, said);
      const { tool, tools, tokens, usd } = said;
      run.tell({ event: "progress", action: job.id, ...(tool === undefined ? {} : { tool }), tools, tokens, usd });
    },
  });
  return { ending, said };
}

function judgeEnding(
  run: RunContext,
  job: RunJob,
  { agent, waits }: RunAction,
  {
    ending,
    said,
    isStopped,
  }: { readonly ending: AgentEnding; readonly said: AgentOutput; readonly isStopped: boolean },
): RunEvent | "blocked" {
  const { session } = said;
  const own = session === undefined ? {} : { session };
  const isFine = ending.how === "exited" && ending.code === 0 && said.error === undefined;
  if (isFine && said.text.trim() !== "") return { kind: "ended", report: said.text, ...own };
  if (isStopped && !isFine) return { kind: "limited", ...own };
  const trouble = `${said.error ?? ""}\n${ending.errors}\n${said.error === undefined ? "" : said.text.slice(-2000)}`;
  const now = Math.floor(Date.parse(run.engine.clock.now()) / 1000);
  const seconds = isFine ? undefined : readLimitWait(trouble, now, waits);
  if (seconds !== undefined) {
    run.park(agent, seconds, sanitizeText((said.error ?? ending.errors).trim(), 200));
    return { kind: "limited", ...own };
  }
  if (!isFine && said.tokens === 0 && isLoginProblem(trouble)) {
    const { title, login } = findAgentProgram(agent, run.settings) ?? { title: agent, login: agent };
    return block(run, job, `${title} is not signed in. Run: ${login}`);
  }
  const why = describeCutOff(run, ending, said);
  run.tell({ event: "cut-off", action: job.id, problems: [why] });
  return { kind: "cut-off", why, mayResume: said.tools > 0 || said.text !== "", ...own };
}

const describeCutOff = ({ minutes, silenceMinutes }: RunContext, ending: AgentEnding, said: AgentOutput): string =>
  describeEnding(ending, said, ending.how === "silent" ? silenceMinutes * 60 : minutes * 60);

/** `limit_s`: the limit that it exceeded, if it did. */
export function describeEnding(ending: AgentEnding, { error, text }: AgentOutput, limit_s: number): string {
  const said = sanitizeText(error ?? ending.errors.trim().split("\n").at(-1) ?? "", 300);
  const detail = said === "" ? "" : ` It printed: ${said}`;
  switch (ending.how) {
    case "exited":
      if (ending.code === 0 && error === undefined && text.trim() === "")
        return `The agent ended without a report.${detail}`;
      return `The agent failed with exit code ${ending.code ?? "unknown"}.${detail}`;
    case "silent":
      return `The agent printed nothing for ${formatDuration(limit_s)} and was ended.`;
    case "timed-out":
      return `The agent took longer than ${formatDuration(limit_s)} and was ended.`;
    case "too-much-output":
      return "The agent printed too much and was ended.";
    case "vanished":
    case "cancelled":
      return "The agent was killed.";
  }
}
