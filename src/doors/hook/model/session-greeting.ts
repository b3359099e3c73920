import { countSecondsBetween, formatDuration } from "#kernel/model/utc-time.ts";
import { sanitizeText, quote } from "#kernel/model/text-format.ts";
import { type ActiveWork, isUnfinishedWork, findSessionWork } from "#planning/model/workflow/journal-fold.ts";
import { sortWorkQueue, type QueueItem, getDefaultPriority } from "#planning/model/workflow/work-queue.ts";
import { DEFAULT_SESSION_ID, findWorkflowActivity } from "#planning/model/workflow/work-sessions.ts";

export interface GreetedChange {
  readonly id: string;
  readonly description: string;
  readonly current_stage: string;
  readonly created_at: string;
}

/** A greeting may cost 300 tokens. Its fixed sentences take the rest. */
const MAX_GREETING_TOKENS = 170;
const MAX_SESSION_NAME_LENGTH = 12;
const MAX_SHOWN_QUESTIONS = 2;

const GREETING_DETAIL_LEVELS = [
  { title: 40, interrupted: 2, files: 3, queue: 10, note: 240 },
  { title: 40, interrupted: 2, files: 3, queue: 10, note: 120 },
  { title: 24, interrupted: 2, files: 1, queue: 5, note: 80 },
  { title: 0, interrupted: 1, files: 0, queue: 2, note: 60 },
  { title: 0, interrupted: 1, files: 0, queue: 0, note: 40 },
  { title: 0, interrupted: 1, files: 0, queue: 0, note: 16 },
] as const;
type GreetingDetail = (typeof GREETING_DETAIL_LEVELS)[number];

export function buildWorkQueue(atWork: ActiveWork, changes: readonly GreetedChange[]): QueueItem[] {
  const workflows = [...atWork.workflows.values()].filter(({ id }) => isUnfinishedWork(id, atWork));
  return sortWorkQueue([
    ...workflows.map((record) => ({ ...record, stage: record.current_stage })),
    ...changes.map(({ id, description, current_stage: stage, created_at }) => ({
      id,
      kind: "change" as const,
      title: description,
      stage,
      priority: getDefaultPriority("change"),
      started_at: created_at,
      updated_at: created_at,
    })),
  ]);
}

/** Work whose session vanished. Skips the session's own work, which it simply continues. */
export function findInterruptedWork(queue: readonly QueueItem[], atWork: ActiveWork, session: string, now: string) {
  return queue.flatMap(({ id, stage }) => {
    const { standing, session: vanished } = findWorkflowActivity(id, atWork.sessions.values(), atWork.lease(id));
    if (standing !== "interrupted" || vanished === undefined || vanished.id === session) return [];
    return [{ id, stage, by: vanished.id, ageS: countSecondsBetween(vanished.seen_at, now) }];
  });
}

export interface SessionGreeting {
  readonly session: string;
  readonly queue: readonly QueueItem[];
  readonly atWork: ActiveWork;
  readonly interrupted: ReturnType<typeof findInterruptedWork>;
  readonly uncommitted: readonly string[] | undefined;
  readonly asked: readonly string[];
  readonly left?: { readonly next: string; readonly warnings: string };
}

export function buildGreetingValues(greeting: SessionGreeting): Record<string, string> {
  const all = GREETING_DETAIL_LEVELS.map((detail) => fillGreetingValues(greeting, detail));
  const fitting = all.find((values) => estimateGreetingTokens(Object.values(values).join(" ")) <= MAX_GREETING_TOKENS);
  const shortest = fillGreetingValues(greeting, GREETING_DETAIL_LEVELS[5]);
  return fitting ?? { ...shortest, uncommitted: "", queue: "", left: "", warnings: "" };
}

function fillGreetingValues(greeting: SessionGreeting, detail: GreetingDetail) {
  const { session, queue, atWork, interrupted, uncommitted, asked, left } = greeting;
  const current = queue.find(({ id }) => id === findSessionWork(session, atWork));
  const told = interrupted.slice(0, detail.interrupted);
  const interruptions = told.map(({ id, stage, by, ageS }) => {
    const name = sanitizeText(by, MAX_SESSION_NAME_LENGTH);
    return `${id} was interrupted at ${stage}, ${formatDuration(ageS)} ago, in session ${name}.`;
  });
  const shown = queue.slice(0, detail.queue).map(({ id, stage, priority }) => `[${priority}] ${id} ${stage}`);
  const more = queue.length > shown.length ? [`${queue.length - shown.length} more`] : [];
  return {
    session: session === DEFAULT_SESSION_ID ? "" : session,
    interrupted: interruptions.join("\n"),
    resume: told[0]?.id ?? "",
    uncommitted: formatUncommittedFiles(uncommitted, detail),
    current: current ? formatCurrentWork(current, detail) : "",
    next: current ? formatNextCommand(current, isLeftBehind(current, atWork)) : "",
    queue: [...shown, ...more].join("; "),
    asked: asked.slice(0, MAX_SHOWN_QUESTIONS).join(", "),
    left: formatHandoverNote(left?.next ?? "", detail),
    warnings: formatHandoverNote(left?.warnings ?? "", detail),
  };
}

const formatCurrentWork = ({ id, title, stage }: QueueItem, detail: GreetingDetail): string =>
  `${id}${detail.title === 0 ? "" : ` (${sanitizeText(title, detail.title)})`}, at ${stage}`;

/** Whether the session that last had the work ended, and no other has taken it up. */
const isLeftBehind = ({ id }: QueueItem, work: ActiveWork): boolean =>
  !work.lease(id)?.isLive &&
  [...work.sessions.values()].some(({ current, ended_at }) => current === id && ended_at !== undefined);

function formatNextCommand({ id, kind }: QueueItem, isLeft: boolean): string {
  if (kind === "change") return `sdd_change_status {"change_id":"${id}"}`;
  return `${isLeft ? "sdd_workflow_resume" : "sdd_workflow_status"} {"id":"${id}"}`;
}

function formatUncommittedFiles(files: readonly string[] | undefined, detail: GreetingDetail): string {
  if (!files) return "";
  const named = files.slice(0, detail.files).map((file) => sanitizeText(shortenPath(file)));
  const names = named.length === 0 ? "" : ` (${named.join(", ")}${files.length > named.length ? ", …" : ""})`;
  return `Uncommitted files: ${files.length}${names}.`;
}

/** Long paths lose whole folders at the front, and show it. */
function shortenPath(path: string): string {
  const most = 2 * MAX_SESSION_NAME_LENGTH;
  if (path.length <= most) return path;
  const tail = path.slice(-most);
  const cut = tail.indexOf("/");
  return `…${cut < 0 ? tail : tail.slice(cut)}`;
}

/** The author is unknown, so the note is quoted as data. */
function formatHandoverNote(text: string, { note }: GreetingDetail): string {
  const line = text.trim().replace(/\s+/g, " ").replaceAll('"', "'");
  return line === "" ? "" : quote(line, note);
}

/** An upper estimate without a tokenizer. */
function estimateGreetingTokens(text: string): number {
  const costs = Array.from(text, (letter) => {
    const code = letter.codePointAt(0) ?? 0;
    if (code < 128) return /[a-z ]/i.test(letter) ? 0.4 : 0.8;
    return code < 0x3000 ? 1.5 : 3;
  });
  return Math.ceil(costs.reduce((sum, cost) => sum + cost, 0));
}
