import { formatDuration } from "#kernel/model/utc-time.ts";
import { formatCount, sanitizeText } from "#kernel/model/text-format.ts";
import type { CallProgress } from "#kernel/operations/call-progress.ts";
import type { RunNotice } from "#running/operations/run-context.ts";
import type { TerminalIo } from "./command-table.ts";

type ViewIo = Pick<TerminalIo, "out" | "err" | "errorWidth" | "onInterrupt">;

interface AgentLine {
  readonly role: string;
  readonly about: string;
  readonly agent: string;
  readonly since: number;
  tool: string;
  tokens: number;
  usd: number;
}

const REDRAW_MS = 200;
const TICK_MS = 1000;
const CLEAR_BELOW = "\u001b[0J";

/** A live list of agents on a terminal, a log line for each event elsewhere, and an event stream with `--json`. */
export function createRunView(io: ViewIo, isJson: boolean, now: () => number = () => performance.now()) {
  const { errorWidth } = io;
  const stopping = new AbortController();
  const agents = new Map<string, AgentLine>();
  const isLive = !isJson && errorWidth !== undefined;
  const questions = new Set<string>();
  let wave = "";
  let isAttached = false;
  let drawn = 0;
  let drawnAt = -Infinity;
  let activity = "";
  const clear = (): string => (drawn === 0 ? "" : `\r\u001b[${drawn}A${CLEAR_BELOW}`);
  const draw = (): void => {
    const width = Math.max((errorWidth ?? 80) - 1, 20);
    const lines = [...agents.values()].map((line) => sanitizeText(formatAgentLine(line, now(), width), width));
    if (wave !== "") lines.push(sanitizeText(wave, width));
    for (const line of questions) lines.push(sanitizeText(line, width));
    if (activity !== "") lines.push(sanitizeText(activity, width));
    io.err(`${clear()}${lines.map((line) => `${line}\n`).join("")}`);
    drawn = lines.length;
    drawnAt = now();
  };
  const log = (text: string): void => {
    if (text === "") return;
    io.err(`${clear()}${sanitizeText(text, 500)}\n`);
    drawn = 0;
  };
  const timer = isLive ? setInterval(draw, TICK_MS) : undefined;
  timer?.unref();
  const ignore = io.onInterrupt(() => {
    log(isAttached ? "Detaching. The run goes on." : "Stopping the agents. Press Ctrl-C again to quit at once.");
    stopping.abort();
  });
  return {
    cancelled: stopping.signal,
    tell(text: string): void {
      activity = text;
    },
    notice(notice: RunNotice): void {
      if (isJson) return io.out(`${JSON.stringify(notice)}\n`);
      trackAgent(agents, notice, now());
      if (notice.event === "attached") isAttached = true;
      if (notice.event === "wave") wave = formatWave(notice);
      if (notice.event === "question") questions.add(formatQuestion(notice));
      if (notice.event === "done")
        for (const line of questions) if (line.includes(notice.action)) questions.delete(line);
      if (notice.event !== "progress") log(formatNotice(notice, agents));
      if (isLive && (notice.event !== "progress" || now() - drawnAt >= REDRAW_MS)) draw();
    },
    end(): void {
      clearInterval(timer);
      ignore();
      if (drawn > 0) io.err(clear());
    },
  } satisfies CallProgress & { end(): void };
}

function trackAgent(agents: Map<string, AgentLine>, notice: RunNotice, since: number): void {
  if (notice.event === "started" || notice.event === "resumed" || notice.event === "adopted") {
    const { role, about, agent } = notice;
    const began = since - (notice.age_s ?? 0) * 1000;
    agents.set(notice.action, { role, about, agent, since: began, tool: "", tokens: 0, usd: 0 });
  }
  if (notice.event === "ended") agents.delete(notice.action);
  const line = notice.event === "progress" ? agents.get(notice.action) : undefined;
  if (line && notice.event === "progress")
    Object.assign(line, { tool: notice.tool ?? "", tokens: notice.tokens, usd: notice.usd });
}

/** Shortens the agent's activity first: the rest of the line changes. */
function formatAgentLine({ role, about, agent, since, tool, tokens, usd }: AgentLine, now: number, width: number) {
  const time = formatDuration(Math.floor((now - since) / 1000));
  const count = tokens.toLocaleString(
    "en",
    tokens < 1_000_000 ? {} : { notation: "compact", maximumFractionDigits: 1 },
  );
  const costs = `${count} tokens${usd > 0 ? ` $${usd.toFixed(2)}` : ""}`;
  const name = sanitizeText(tool.replace(/^mcp_+[a-z]+_+/i, ""), 11);
  const [head, tail] = [`${agent}  ${role}`, `${time}  ${name === "" ? "" : `${name}  `}${costs}`];
  return `${head}  ${sanitizeText(about, Math.max(width - head.length - tail.length - 5, 9))}  ${tail}`;
}

function formatNotice(
  notice: Exclude<RunNotice, { event: "progress" }>,
  agents: ReadonlyMap<string, AgentLine>,
): string {
  switch (notice.event) {
    case "run":
      return `${notice.run} lands on ${notice.branch}.`;
    case "attached":
      return `Attached to ${notice.run}, which another process leads.`;
    case "wave":
      return formatWave(notice);
    case "started":
    case "resumed":
    case "adopted":
      return `${notice.event}: ${notice.action} (${notice.agent}), ${formatCount(agents.size, "agent")} at work`;
    case "ended":
    case "over":
      return "";
    case "landed":
      return `landed: ${notice.action}${notice.commit === undefined ? "" : ` ${notice.commit.slice(0, 12)}`}`;
    case "accepted":
    case "failed":
      return [`${notice.event}: ${notice.action}.`, ...notice.notes].join(" ");
    case "rejected":
    case "conflicted":
    case "cut-off":
    case "waiting":
      return [`${notice.event}: ${notice.action}.`, ...notice.problems].join(" ");
    case "parked":
      return `${notice.agent} waits ${formatDuration(notice.seconds)}: ${notice.why}`;
    case "question":
      return `${formatQuestion(notice)} ${notice.detail}`;
    case "done":
      return [`done: ${notice.action} (${notice.about}).`, ...notice.notes].join(" ");
  }
}

type NoticeOf<Event extends RunNotice["event"]> = Extract<RunNotice, { readonly event: Event }>;

const formatWave = ({ wave, features, finished }: NoticeOf<"wave">): string =>
  `wave ${wave}: ${finished} of ${formatCount(features, "feature")} finished`;

const formatQuestion = ({ action, choices }: NoticeOf<"question">): string =>
  `question: tenon approve ${action} --answer ${choices.join("|")}`;
