import { useRef } from "preact/hooks";
import { useSignal } from "@preact/signals";
import type { PageAnswers } from "./page-answers.ts";
import { act, type CallFault, linkTo, snapshot, useAnswer } from "./page-state.ts";
import { Answer, Badge, Empty, FaultNote, Time, type Tone, useVirtualRows, View } from "./page-elements.tsx";

interface Card {
  readonly id: string;
  readonly title: string;
  readonly kind: string;
  readonly stage: string;
  readonly column: Column;
  readonly tone: Tone;
  readonly note: string;
  readonly at?: string | undefined;
  /** The sessions at work on it. */
  readonly by?: string | undefined;
  /** Only work in the queue has a place that a person can change. */
  readonly priority?: number | undefined;
  readonly link: string;
}

const COLUMNS = ["Plan", "Build", "Verify", "Blocked", "Done"] as const;
type Column = (typeof COLUMNS)[number];

const BUILD_STAGES = new Set(["implement", "fix", "design-generated"]);
const VERIFY_STAGES = new Set(["verify", "decide"]);

function placeStage(stage: string): Column {
  if (BUILD_STAGES.has(stage)) return "Build";
  return VERIFY_STAGES.has(stage) ? "Verify" : "Plan";
}

const MAX_PRIORITY = 9;
/** A column of more cards scrolls in itself and draws only the cards on the screen. */
const WHOLE_COLUMN_CARDS = 60;
const CARD_HEIGHT = 112;

export function BoardView() {
  const workflows = useAnswer("workflow.status", { all: true });
  const changes = useAnswer("change.list");
  const roadmap = useAnswer("roadmap.graph");
  const problem = useSignal<CallFault | undefined>(undefined);
  return (
    <View
      title="Board"
      about="All work, by state. Drag a card of the queue, or use its buttons, to change its priority."
    >
      {problem.value && <FaultNote fault={problem.value} />}
      <Answer of={workflows}>
        {({ queue, finished }) => {
          const cards: Card[] = [
            ...queue.map((item): Card => ({
              id: item.id,
              title: item.title,
              kind: item.kind,
              stage: item.stage,
              column: item.interrupted ? "Blocked" : placeStage(item.stage),
              tone: item.interrupted ? "warn" : item.is_current ? "good" : "plain",
              note: item.interrupted ? "interrupted" : item.is_current ? "current" : item.status,
              at: item.updated_at,
              by: item.session,
              priority: item.priority,
              link: linkTo("trace", item.id),
            })),
            ...finished.map((item): Card => ({
              id: item.id,
              title: item.title,
              kind: item.kind,
              stage: item.stage,
              column: "Done",
              tone: item.status === "completed" ? "good" : "plain",
              note: item.status,
              at: item.updated_at,
              link: linkTo("trace", item.id),
            })),
            ...(changes.data?.changes ?? [])
              .filter(({ id }) => !queue.some((item) => item.id === id) && !finished.some((item) => item.id === id))
              .map((item): Card => ({
                id: item.id,
                title: item.description,
                kind: `${item.size} ${item.type}`,
                stage: item.current_stage,
                column: item.status === "active" ? placeStage(item.current_stage) : "Done",
                tone: item.status === "completed" || item.status === "archived" ? "good" : "plain",
                note: item.status,
                at: item.updated_at,
                link: linkTo("documents", `sdd/${item.status === "archived" ? "history" : "changes"}/${item.id}`),
              })),
            ...(roadmap.data?.features ?? []).map((item): Card => ({
              id: item.name,
              title: item.description,
              kind: "feature",
              stage: item.phase,
              column:
                item.phase === "blocked"
                  ? "Blocked"
                  : item.phase === "implementation-complete"
                    ? "Done"
                    : placeStage(item.phase),
              tone: item.phase === "blocked" ? "bad" : item.phase === "implementation-complete" ? "good" : "plain",
              note: item.wave === null ? "alone" : `wave ${item.wave}`,
              by: listSessions(roadmap.data?.in_progress ?? [], item.name),
              link: linkTo("documents", `sdd/features/${item.name}/design.md`),
            })),
          ];
          if (cards.length === 0)
            return <Empty command='tenon quick "fix the typo in the header"'>There is no work yet.</Empty>;
          return (
            <div class="board">
              {COLUMNS.map((column) => (
                <CardColumn
                  key={column}
                  column={column}
                  cards={cards.filter((card) => card.column === column).toSorted(comparePriority)}
                  onPriority={async ({ id }, priority) => {
                    const describe = () => `${id} has priority ${priority}.`;
                    problem.value = (await act("workflow.prioritize", { id, priority }, describe)).fault;
                  }}
                />
              ))}
            </div>
          );
        }}
      </Answer>
    </View>
  );
}

/** The id of an action begins with its feature. */
function listSessions(assigned: PageAnswers["roadmap.graph"]["in_progress"], feature: string): string | undefined {
  const sessions = assigned.filter(({ action }) => action.startsWith(`${feature}/`)).map(({ session }) => session);
  return sessions.length === 0 ? undefined : [...new Set(sessions)].join(", ");
}

const comparePriority = (a: Card, b: Card): number => (a.priority ?? MAX_PRIORITY) - (b.priority ?? MAX_PRIORITY);

interface ColumnProps {
  column: Column;
  cards: readonly Card[];
  onPriority: (card: Card, priority: number) => Promise<void>;
}

function CardColumn({ column, cards, onPriority }: ColumnProps) {
  const frame = useRef<HTMLDivElement>(null);
  const isWhole = cards.length <= WHOLE_COLUMN_CARDS;
  const { first, last } = useVirtualRows(frame, isWhole ? 0 : cards.length, CARD_HEIGHT);
  const shown = isWhole ? cards : cards.slice(first, last);
  const drop = (event: DragEvent, before: Card): void => {
    event.preventDefault();
    const id = event.dataTransfer?.getData("text/plain") ?? "";
    const card = cards.find((each) => each.id === id);
    if (card?.priority === undefined || before.priority === undefined || card === before) return;
    void onPriority(card, before.priority);
  };
  return (
    <section class="column" aria-label={column}>
      <h2>
        {column} <span class="quiet">{cards.length}</span>
      </h2>
      <div ref={frame} class={isWhole ? "cards" : "cards long"} tabIndex={isWhole ? undefined : 0} role="list">
        {!isWhole && <div aria-hidden="true" style={{ height: `${first * CARD_HEIGHT}px` }} />}
        {shown.map((card) => (
          <div
            key={`${card.kind} ${card.id}`}
            class="card"
            role="listitem"
            style={isWhole ? {} : { height: `${CARD_HEIGHT - 8}px` }}
            draggable={card.priority !== undefined && !snapshot}
            onDragStart={(event: DragEvent) => event.dataTransfer?.setData("text/plain", card.id)}
            onDragOver={(event: DragEvent) => event.preventDefault()}
            onDrop={(event: DragEvent) => drop(event, card)}
          >
            <div class="card-head">
              <a href={card.link}>{card.id}</a> <Badge tone={card.tone}>{card.note}</Badge>
            </div>
            <p>{card.title}</p>
            <div class="card-foot quiet">
              {card.kind}, {card.stage}
              {card.by && `, ${card.by}`}
              {card.at && (
                <>
                  , <Time at={card.at} />
                </>
              )}
              {card.priority !== undefined && !snapshot && (
                <PriorityButtons
                  priority={card.priority}
                  id={card.id}
                  onPriority={(priority) => onPriority(card, priority)}
                />
              )}
            </div>
          </div>
        ))}
        {!isWhole && <div aria-hidden="true" style={{ height: `${(cards.length - last) * CARD_HEIGHT}px` }} />}
      </div>
    </section>
  );
}

function PriorityButtons(props: { id: string; priority: number; onPriority: (priority: number) => Promise<void> }) {
  const { id, priority, onPriority } = props;
  return (
    <span class="priority">
      <button
        type="button"
        aria-label={`Raise the priority of ${id}`}
        disabled={priority <= 0}
        onClick={() => void onPriority(priority - 1)}
      >
        ↑
      </button>
      {priority}
      <button
        type="button"
        aria-label={`Lower the priority of ${id}`}
        disabled={priority >= MAX_PRIORITY}
        onClick={() => void onPriority(priority + 1)}
      >
        ↓
      </button>
    </span>
  );
}
