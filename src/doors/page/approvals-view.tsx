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

const isYesNo = (choices: readonly string[]): boolean =>
  choices.length === 2 && choices[0] === "yes" && choices[1] === "no";

function QuestionCard({ question: { id, question, path, choices, asked_at } }: { question: Question }) {
  const reason = useSignal("");
  const isBusy = useSignal(false);
  const problem = useSignal<CallFault | undefined>(undefined);
  const answer = async (said: Record<string, unknown>, done: string): Promise<void> => {
    isBusy.value = true;
    const text = reason.value.trim();
    const input = { id, ...said, ...(text ? { reason: text } : {}) };
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
            {isYesNo(choices) ? (
              <>
                <button
                  type="button"
                  class="primary"
                  disabled={isBusy.value}
                  onClick={() => void answer({}, `${id} is approved.`)}
                >
                  Approve
                </button>{" "}
                <button
                  type="button"
                  disabled={isBusy.value}
                  onClick={() => void answer({ reject: true }, `${id} is rejected.`)}
                >
                  Reject
                </button>
              </>
            ) : (
              choices.map((choice) => (
                <button
                  key={choice}
                  type="button"
                  disabled={isBusy.value}
                  onClick={() => void answer({ answer: choice }, `${id}: ${choice}.`)}
                >
                  {choice}
                </button>
              ))
            )}
          </p>
        </>
      )}
    </article>
  );
}
