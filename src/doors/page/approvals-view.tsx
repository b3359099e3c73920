import { useSignal } from "@preact/signals";
import type { PageAnswers } from "./page-answers.ts";
import { act, type CallFault, snapshot, useAnswer } from "./page-state.ts";
import { Answer, DocumentLink, Empty, FaultNote, Table, Time, View } from "./page-elements.tsx";

type Question = PageAnswers["approval.answer"]["open"][number];

export function ApprovalsView() {
  const questions = useAnswer("approval.answer", { list: true });
  const status = useAnswer("workspace.status");
  return (
    <View title="Approvals" about="Decisions that only you can make. An answer here counts as yours.">
      <Answer of={questions}>
        {({ open }) =>
          open.length === 0 ? (
            <Empty>Nothing waits for you.</Empty>
          ) : (
            open.map((question) => <QuestionCard key={question.id} question={question} />)
          )
        }
      </Answer>
      <Answer of={status}>
        {({ unproved }) =>
          unproved.length > 0 && (
            <Table
              caption="Approvals that rest on an agent's word"
              columns={[
                { name: "Work", cell: ({ id }) => id },
                { name: "Stage", cell: ({ stage }) => stage },
                { name: "By", cell: ({ by }) => by },
                { name: "Confirm", cell: ({ id }) => <code>tenon approve {id}</code> },
              ]}
              rows={unproved}
              keyOf={({ id, stage }) => `${id} ${stage}`}
            />
          )
        }
      </Answer>
    </View>
  );
}

const DECISIONS: Readonly<Record<string, readonly [label: string, done: string]>> = {
  yes: ["Approve", "is approved"],
  approve: ["Approve", "is approved"],
  no: ["Reject", "is rejected"],
  reject: ["Reject", "is rejected"],
};

function QuestionCard({ question: { id, question, path, choices, asked_at } }: { question: Question }) {
  const reason = useSignal("");
  const isBusy = useSignal(false);
  const problem = useSignal<CallFault | undefined>(undefined);
  const answer = async (choice: string, done: string): Promise<void> => {
    isBusy.value = true;
    const text = reason.value.trim();
    const input = { id, answer: choice, ...(text ? { reason: text } : {}) };
    problem.value = (await act("approval.answer", input, () => done)).fault;
    isBusy.value = false;
  };
  return (
    <article class="receipt" aria-label={id}>
      <h2>{id}</h2>
      <p class="wrap">{question}</p>
      {path && (
        <p>
          Read: <DocumentLink path={path} />
        </p>
      )}
      <p class="quiet">
        Asked <Time at={asked_at} />
      </p>
      {problem.value && <FaultNote fault={problem.value} />}
      {!snapshot && (
        <>
          <label>
            Reason, which the agent gets{" "}
            <input type="text" value={reason.value} onInput={(event) => (reason.value = event.currentTarget.value)} />
          </label>
          <p class="actions">
            {choices.map((choice, i) => {
              const [label, done] = DECISIONS[choice] ?? [choice, `is answered: ${choice}`];
              return (
                <button
                  key={choice}
                  type="button"
                  class={i === 0 && choice in DECISIONS ? "primary" : undefined}
                  disabled={isBusy.value}
                  onClick={() => void answer(choice, `${id} ${done}.`)}
                >
                  {label}
                </button>
              );
            })}
          </p>
        </>
      )}
    </article>
  );
}
