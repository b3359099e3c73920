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

export interface InterruptedWork {
  readonly id: string;
  readonly stage: string;
  readonly by: string;
  readonly ageS: number;
}

/** A greeting may cost 300 tokens. Its fixed sentences take the rest. */
const MAX_GREETING_TOKENS = 170;
const MAX_SESSION_NAME_LENGTH = 12;

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
    ...workflows.map(({ id, kind, title, current_stage: stage, priority, started_at, updated_at }) => ({
      id,
      kind,
      title,
      stage,
      priority,
      started_at,
      updated_at,
    })),
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
export function findInterruptedWork(
  queue: readonly QueueItem[],
  atWork: ActiveWork,
  session: string,
  now: string,
): InterruptedWork[] {
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
  readonly interrupted: readonly InterruptedWork[];
  readonly uncommitted: readonly string[] | undefined;
  readonly left?: { readonly next: string; readonly warnings: string };
}

export function buildGreetingValues(greeting: SessionGreeting): Record<string, string> {
  const all = GREETING_DETAIL_LEVELS.map((detail) => fillGreetingValues(greeting, detail));
  const fitting = all.find((values) => estimateGreetingTokens(Object.values(values).join(" ")) <= MAX_GREETING_TOKENS);
  return (
    fitting ?? {
      ...fillGreetingValues(greeting, GREETING_DETAIL_LEVELS[5]),
      uncommitted: "",
      queue: "",
      left: "",
      warnings: "",
    }
  );
}

function fillGreetingValues(
  { session, queue, atWork, interrupted, uncommitted, left }: SessionGreeting,
  detail: GreetingDetail,
) {
  const current = queue.find(({ id }) => id === findSessionWork(session, atWork));
  const told = interrupted.slice(0, detail.interrupted);
  return {
    session: session === DEFAULT_SESSION_ID ? "" : session,
    interrupted: told.map(formatInterruption).join("\n"),
    resume: told[0]?.id ?? "",
    uncommitted: uncommitted === undefined ? "" : formatUncommittedFiles(uncommitted, detail),
    current: current ? formatCurrentWork(current, detail) : "",
    next: current ? formatNextCommand(current) : "",
    queue: formatQueueLine(queue, detail),
    left: formatHandoverNote(left?.next ?? "", detail),
    warnings: formatHandoverNote(left?.warnings ?? "", detail),
  };
}

const formatInterruption = ({ id, stage, by, ageS }: InterruptedWork): string =>
  `${id} was interrupted at ${stage}, ${formatDuration(ageS)} ago, in session ${sanitizeText(by, MAX_SESSION_NAME_LENGTH)}.`;

function formatCurrentWork({ id, title, stage }: QueueItem, detail: GreetingDetail): string {
  return detail.title === 0 ? `${id}, at ${stage}` : `${id} (${sanitizeText(title, detail.title)}), at ${stage}`;
}

function formatUncommittedFiles(files: readonly string[], detail: GreetingDetail): string {
  const named = files.slice(0, detail.files).map((file) => sanitizeText(file.slice(-2 * MAX_SESSION_NAME_LENGTH)));
  const names = named.length === 0 ? "" : ` (${named.join(", ")}${files.length > named.length ? ", …" : ""})`;
  return `Uncommitted files: ${files.length}${names}.`;
}

/** The author is unknown, so the note is quoted as data. */
function formatHandoverNote(text: string, { note }: GreetingDetail): string {
  const line = text.trim().replace(/\s+/g, " ").replaceAll('"', "'");
  return line === "" ? "" : quote(line, note);
}

const formatNextCommand = ({ id, kind }: QueueItem): string =>
  kind === "change" ? `tenon change status --change-id ${id}` : `tenon workflow status --id ${id}`;

function formatQueueLine(queue: readonly QueueItem[], detail: GreetingDetail): string {
  const shown = queue.slice(0, detail.queue).map(({ id, stage, priority }) => `[${priority}] ${id} ${stage}`);
  const left = queue.length - shown.length;
  return [...shown, ...(left > 0 ? [`${left} more`] : [])].join("; ");
}

/** An upper estimate without a tokenizer. */
function estimateGreetingTokens(text: string): number {
  let cost = 0;
  for (const letter of text) {
    const code = letter.codePointAt(0) ?? 0;
    if (/[a-z ]/i.test(letter)) cost += 0.4;
    else if (code < 128) cost += 0.8;
    else cost += code < 0x3000 ? 1.5 : 3;
  }
  return Math.ceil(cost);
}
