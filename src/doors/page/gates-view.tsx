import type { PageAnswers } from "./page-answers.ts";
import { linkTo, route, useAnswer } from "./page-state.ts";
import { Answer, Badge, Empty, Table, Time, View } from "./page-elements.tsx";

type Chain = PageAnswers["gate.verify"]["workflows"][number];
type GateRun = PageAnswers["workflow.stats"]["gate_runs"][number];

/** The fields of a receipt that people read. Older receipts lack some. */
interface Receipt {
  readonly id: string;
  readonly gate: string;
  readonly stage?: string;
  readonly passed?: boolean;
  readonly at: string;
  readonly tree?: string;
  readonly prev?: string;
  readonly hash?: string;
  readonly checks?: readonly {
    readonly check: string;
    readonly status: string;
    readonly ms?: number;
    readonly detail?: string;
  }[];
  readonly criteria?: readonly string[];
  readonly approvals?: readonly { readonly stage: string; readonly by: string; readonly proof?: string }[];
  readonly unattributed?: readonly string[];
}

export function GatesView() {
  const verified = useAnswer("gate.verify");
  const stats = useAnswer("workflow.stats");
  const { detail } = route.value;
  return (
    <View title="Gates" about="The checks of each gate, and whether receipts are unaltered and match the files.">
      <Answer of={verified}>
        {({ summary, workflows }) => (
          <>
            <p>{summary}</p>
            {workflows.length === 0 ? (
              <Empty command="tenon gate">No gate has left a receipt yet.</Empty>
            ) : (
              <Table caption="Receipts" columns={CHAIN_COLUMNS} rows={workflows} keyOf={({ id }) => id} />
            )}
            {detail && <ReceiptChain chain={workflows.find(({ id }) => id === detail)} />}
          </>
        )}
      </Answer>
      <Answer of={stats}>
        {({ gate_runs: runs }) =>
          runs.length > 0 && (
            <Table
              caption="Last runs"
              columns={RUN_COLUMNS}
              rows={runs}
              keyOf={({ id, gate, at }) => `${id} ${gate} ${at}`}
            />
          )
        }
      </Answer>
      <Answer of={stats}>
        {({ gates }) =>
          gates.length > 0 && (
            <Table
              caption="Runs of each gate"
              columns={[
                { name: "Gate", cell: ({ gate }) => gate },
                { name: "Runs", cell: ({ runs }) => runs },
                { name: "Failed", cell: ({ failed }) => (failed > 0 ? <Badge tone="bad">{failed}</Badge> : 0) },
                {
                  name: "Checks that failed",
                  cell: ({ checks }) => checks.map(({ check, failed }) => `${check} ${failed} ×`).join(", "),
                },
              ]}
              rows={gates}
              keyOf={({ gate }) => gate}
            />
          )
        }
      </Answer>
    </View>
  );
}

const RUN_COLUMNS = [
  { name: "Work", cell: ({ id }: GateRun) => <a href={linkTo("trace", id)}>{id}</a> },
  { name: "Gate", cell: ({ gate }: GateRun) => gate },
  { name: "When", cell: ({ at }: GateRun) => <Time at={at} /> },
  {
    name: "Result",
    cell: ({ passed }: GateRun) => <Badge tone={passed ? "good" : "bad"}>{passed ? "passed" : "failed"}</Badge>,
  },
  {
    name: "Why",
    cell: ({ excerpts, failed }: GateRun) =>
      excerpts.length === 0 ? failed.join(", ") : excerpts.map((text) => <pre key={text}>{text}</pre>),
  },
];

const CHAIN_COLUMNS = [
  { name: "Work", cell: ({ id }: Chain) => <a href={linkTo("gates", id)}>{id}</a> },
  { name: "Receipts", cell: ({ receipts }: Chain) => receipts },
  {
    name: "Chain",
    cell: ({ problems }: Chain) =>
      problems.length === 0 ? <Badge tone="good">intact</Badge> : <Badge tone="bad">altered</Badge>,
  },
  {
    name: "Newest",
    cell: ({ newest }: Chain) =>
      newest && (
        <>
          {newest.gate}, <Time at={newest.at} />
        </>
      ),
  },
  {
    name: "Files",
    cell: ({ newest }: Chain) =>
      newest?.matches ? <Badge tone="good">match</Badge> : <Badge tone="plain">changed since</Badge>,
  },
];

function ReceiptChain({ chain }: { chain: Chain | undefined }) {
  const file = useAnswer("workspace.documents", chain ? { path: chain.path } : null);
  if (!chain) return <Empty>There are no receipts with this id.</Empty>;
  return (
    <section aria-label={`Receipts of ${chain.id}`} class="print">
      <h2>{chain.id}</h2>
      {[...chain.problems, ...chain.findings, ...chain.unproved].map((found) => {
        const problem = typeof found === "string" ? found : found.problem;
        return (
          <p key={problem} class="fault">
            {problem}
          </p>
        );
      })}
      <Answer of={file}>
        {({ document }) => {
          const receipts = (document?.text ?? "")
            .split("\n")
            .flatMap((line) => parseReceipt(line))
            .toReversed();
          return receipts.map((receipt) => <ReceiptCard key={receipt.id} receipt={receipt} />);
        }}
      </Answer>
    </section>
  );
}

/** A line that is no receipt is reported by the chain's problems above. */
function parseReceipt(line: string): Receipt[] {
  try {
    const value = JSON.parse(line) as Receipt;
    return typeof value.id === "string" && typeof value.gate === "string" ? [value] : [];
  } catch {
    return [];
  }
}

function ReceiptCard({ receipt }: { receipt: Receipt }) {
  const { checks = [], criteria = [], approvals = [], unattributed = [] } = receipt;
  return (
    <article class="receipt">
      <h3>
        {receipt.id}{" "}
        <Badge tone={receipt.passed === false ? "bad" : "good"}>{receipt.passed === false ? "failed" : "passed"}</Badge>
      </h3>
      <p>
        {receipt.gate}
        {receipt.stage ? `, stage ${receipt.stage}` : ""}, <Time at={receipt.at} />
      </p>
      <ul class="checks">
        {checks.map(({ check, status, ms, detail }) => (
          <li key={check}>
            <Badge tone={status === "passed" ? "good" : status === "failed" ? "bad" : "warn"}>{status}</Badge> {check}
            {ms === undefined ? "" : `, ${(ms / 1000).toFixed(1)} s`}
            {detail && <pre>{detail}</pre>}
          </li>
        ))}
      </ul>
      {criteria.length > 0 && <p>Criteria: {criteria.join(", ")}</p>}
      {approvals.map(({ stage, by, proof }) => (
        <p key={stage}>
          Approval of {stage} by {by}: <Badge tone={proof === "relayed" ? "warn" : "good"}>{proof ?? "unproved"}</Badge>
        </p>
      ))}
      {unattributed.length > 0 && <p>Not judged, because nobody claimed them: {unattributed.join(", ")}</p>}
      <p class="hashes quiet">
        tree {receipt.tree} · before {receipt.prev} · this {receipt.hash}
      </p>
    </article>
  );
}
