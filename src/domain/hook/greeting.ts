import { secondsBetween, spell } from "../day.ts";
import { plain, quote } from "../quote.ts";
import { type AtWork, isUnfinishedWork, workOf } from "../workflow/fold.ts";
import { inOrder, type QueueItem, usualPriority } from "../workflow/queue.ts";
import { NOBODY } from "../workflow/session-name.ts";
import { standingOf } from "../workflow/sessions.ts";

export interface OpenChange {
  readonly id: string;
  readonly description: string;
  readonly current_stage: string;
  readonly created_at: string;
}

export interface Interrupted {
  readonly id: string;
  readonly stage: string;
  readonly by: string;
  readonly ageS: number;
}

/** A greeting may cost 300 tokens. Its fixed sentences take the rest. */
const MOST_TOKENS = 170;
const LONGEST_NAME = 12;

const DETAILS = [
  { title: 40, interrupted: 2, files: 3, queue: 10, note: 240 },
  { title: 40, interrupted: 2, files: 3, queue: 10, note: 120 },
  { title: 24, interrupted: 2, files: 1, queue: 5, note: 80 },
  { title: 0, interrupted: 1, files: 0, queue: 2, note: 60 },
  { title: 0, interrupted: 1, files: 0, queue: 0, note: 40 },
  { title: 0, interrupted: 1, files: 0, queue: 0, note: 16 },
] as const;
type Detail = (typeof DETAILS)[number];

export function queueOf(atWork: AtWork, changes: readonly OpenChange[]): QueueItem[] {
  const workflows = [...atWork.workflows.values()].filter(({ id }) => isUnfinishedWork(id, atWork));
  return inOrder([
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
      priority: usualPriority("change"),
      started_at: created_at,
      updated_at: created_at,
    })),
  ]);
}

/** Work whose session vanished. Skips the session's own work, which it simply continues. */
export function interruptedIn(
  queue: readonly QueueItem[],
  atWork: AtWork,
  session: string,
  now: string,
): Interrupted[] {
  return queue.flatMap(({ id, stage }) => {
    const { standing, session: vanished } = standingOf(id, atWork.sessions.values(), atWork.lease(id));
    if (standing !== "interrupted" || vanished === undefined || vanished.id === session) return [];
    return [{ id, stage, by: vanished.id, ageS: secondsBetween(vanished.seen_at, now) }];
  });
}

export interface Greeting {
  readonly session: string;
  readonly queue: readonly QueueItem[];
  readonly atWork: AtWork;
  readonly interrupted: readonly Interrupted[];
  readonly uncommitted: readonly string[] | undefined;
  readonly left?: { readonly next: string; readonly warnings: string };
}

export function greetingValues(greeting: Greeting): Record<string, string> {
  const all = DETAILS.map((detail) => valuesIn(greeting, detail));
  const fitting = all.find((values) => costOf(Object.values(values).join(" ")) <= MOST_TOKENS);
  return fitting ?? { ...valuesIn(greeting, DETAILS[5]), uncommitted: "", queue: "", left: "", warnings: "" };
}

function valuesIn({ session, queue, atWork, interrupted, uncommitted, left }: Greeting, detail: Detail) {
  const current = queue.find(({ id }) => id === workOf(session, atWork));
  const told = interrupted.slice(0, detail.interrupted);
  return {
    session: session === NOBODY ? "" : session,
    interrupted: told.map(interruption).join("\n"),
    resume: told[0]?.id ?? "",
    uncommitted: uncommitted === undefined ? "" : filesLine(uncommitted, detail),
    current: current ? currentLine(current, detail) : "",
    next: current ? nextStep(current) : "",
    queue: queueLine(queue, detail),
    left: noteLine(left?.next ?? "", detail),
    warnings: noteLine(left?.warnings ?? "", detail),
  };
}

const interruption = ({ id, stage, by, ageS }: Interrupted): string =>
  `${id} was interrupted at ${stage}, ${spell(ageS)} ago, in session ${plain(by, LONGEST_NAME)}.`;

function currentLine({ id, title, stage }: QueueItem, detail: Detail): string {
  return detail.title === 0 ? `${id}, at ${stage}` : `${id} (${plain(title, detail.title)}), at ${stage}`;
}

function filesLine(files: readonly string[], detail: Detail): string {
  const named = files.slice(0, detail.files).map((file) => plain(file.slice(-2 * LONGEST_NAME)));
  const names = named.length === 0 ? "" : ` (${named.join(", ")}${files.length > named.length ? ", …" : ""})`;
  return `Uncommitted files: ${files.length}${names}.`;
}

/** The author is unknown, so the note is quoted as data. */
function noteLine(text: string, { note }: Detail): string {
  const line = text.trim().replace(/\s+/g, " ").replaceAll('"', "'");
  return line === "" ? "" : quote(line, note);
}

const nextStep = ({ id, kind }: QueueItem): string =>
  kind === "change" ? `tenon change status --change-id ${id}` : `tenon workflow status --id ${id}`;

function queueLine(queue: readonly QueueItem[], detail: Detail): string {
  const shown = queue.slice(0, detail.queue).map(({ id, stage, priority }) => `[${priority}] ${id} ${stage}`);
  const left = queue.length - shown.length;
  return [...shown, ...(left > 0 ? [`${left} more`] : [])].join("; ");
}

/** An upper estimate without a tokenizer. */
function costOf(text: string): number {
  let cost = 0;
  for (const letter of text) {
    const code = letter.codePointAt(0) ?? 0;
    if (/[a-z ]/i.test(letter)) cost += 0.4;
    else if (code < 128) cost += 0.8;
    else cost += code < 0x3000 ? 1.5 : 3;
  }
  return Math.ceil(cost);
}
