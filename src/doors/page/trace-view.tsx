import { useSignal } from "@preact/signals";
import { linkTo, route, useAnswer } from "./page-state.ts";
import { Answer, Badge, DocumentLink, Empty, Table, View } from "./page-elements.tsx";

const FILTERS = ["all", "without code", "without tests", "uncovered criteria"] as const;

export function TraceView() {
  const { detail } = route.value;
  return detail ? <TracedItem id={detail} /> : <TraceMatrix />;
}

function TraceMatrix() {
  const trace = useAnswer("trace.show");
  const drift = useAnswer("trace.drift");
  const filter = useSignal<(typeof FILTERS)[number]>("all");
  return (
    <View title="Trace" about="The code and the tests of each requirement.">
      <Answer of={trace}>
        {({ specs = [], problems, totals }) => {
          const rows = specs.filter(({ code, tests, criteria, covered }) => {
            if (filter.value === "without code") return code === 0;
            if (filter.value === "without tests") return tests === 0;
            return filter.value === "all" || covered < criteria;
          });
          return specs.length === 0 ? (
            <Empty command="tenon adopt">No requirement or spec exists yet.</Empty>
          ) : (
            <>
              <p>
                <label>
                  Show{" "}
                  <select
                    value={filter.value}
                    onChange={(event) => (filter.value = event.currentTarget.value as typeof filter.value)}
                  >
                    {FILTERS.map((each) => (
                      <option key={each}>{each}</option>
                    ))}
                  </select>
                </label>{" "}
                {totals && `${totals.untagged_files} of ${totals.code_files} code files name no requirement.`}
              </p>
              <Table
                caption="Requirements, code and tests"
                columns={[
                  { name: "Id", cell: ({ id }) => <a href={linkTo("trace", id)}>{id}</a> },
                  { name: "Title", cell: ({ title }) => title },
                  { name: "Status", cell: ({ status }) => status ?? "" },
                  {
                    name: "Criteria with tests",
                    cell: ({ covered, criteria }) => (
                      <Badge tone={covered === criteria ? "good" : "warn"}>
                        {covered} of {criteria}
                      </Badge>
                    ),
                  },
                  { name: "Code", cell: ({ code }) => (code === 0 ? <Badge tone="warn">0</Badge> : code) },
                  { name: "Tests", cell: ({ tests }) => (tests === 0 ? <Badge tone="warn">0</Badge> : tests) },
                  { name: "Docs", cell: ({ docs }) => docs },
                ]}
                rows={rows}
                keyOf={({ id }) => id}
              />
              {problems.length > 0 && <TraceProblems problems={problems} />}
            </>
          );
        }}
      </Answer>
      <Answer of={drift}>
        {({ findings }) =>
          findings.length > 0 && (
            <Table
              caption="Drift: code that changed since it was accepted"
              columns={[
                { name: "Id", cell: ({ id }) => <a href={linkTo("trace", id)}>{id}</a> },
                { name: "Finding", cell: (finding) => describeFinding(finding) },
              ]}
              rows={findings}
              keyOf={(finding) => JSON.stringify(finding)}
            />
          )
        }
      </Answer>
    </View>
  );
}

const describeFinding = (finding: object): string =>
  Object.entries(finding)
    .filter(([name, value]) => name !== "id" && ["string", "number"].includes(typeof value))
    .map(([, value]) => String(value))
    .join(" · ");

function TraceProblems({
  problems,
}: {
  problems: readonly { id: string; problem: string; path?: string | undefined; line?: number | undefined }[];
}) {
  return (
    <Table
      caption="Problems"
      columns={[
        { name: "Id", cell: ({ id }) => id },
        { name: "Problem", cell: ({ problem }) => problem },
        { name: "Where", cell: ({ path, line }) => path && <DocumentLink path={path} line={line} /> },
      ]}
      rows={problems}
      keyOf={({ id, problem, path = "", line = 0 }) => `${id} ${path} ${line} ${problem}`}
    />
  );
}

function TracedItem({ id }: { id: string }) {
  const trace = useAnswer("trace.show", { id });
  return (
    <View title={id} about="Its code, tests, documents and decisions.">
      <p>
        <a href={linkTo("trace")}>All requirements</a>
      </p>
      <Answer of={trace}>
        {({
          subject,
          criteria = [],
          code = [],
          tests = [],
          docs = [],
          decisions = [],
          commits = [],
          receipts = [],
          problems,
        }) => (
          <>
            {subject && (
              <p>
                <strong>{subject.title}</strong> ({subject.kind}
                {subject.status ? `, ${subject.status}` : ""}){" "}
                {subject.path && <DocumentLink path={subject.path} line={subject.line} />}
              </p>
            )}
            {problems.length > 0 && <TraceProblems problems={problems} />}
            {criteria.length > 0 && (
              <Table
                caption="Criteria"
                columns={[
                  { name: "Id", cell: (row) => row.id },
                  { name: "Text", cell: ({ text }) => text },
                  {
                    name: "Tests",
                    cell: (row) => (row.tests.length === 0 ? <Badge tone="warn">none</Badge> : row.tests.join(", ")),
                  },
                ]}
                rows={criteria}
                keyOf={(row) => row.id}
              />
            )}
            <Locations caption="Code" rows={code.map((row) => ({ ...row, name: row.signature ?? row.key ?? "" }))} />
            <Locations caption="Tests" rows={tests.map((row) => ({ ...row, name: row.test ?? "" }))} />
            <Locations
              caption="Documents"
              rows={docs.map((row) => ({ ...row, line: row.line ?? 0, name: row.title ?? "" }))}
            />
            <Locations
              caption="Decisions"
              rows={decisions.map((row) => ({ ...row, line: row.line ?? 0, name: row.title ?? row.ref }))}
            />
            {commits.length > 0 && (
              <Table
                caption="Commits"
                columns={[
                  { name: "Commit", cell: ({ hash }) => <code>{hash.slice(0, 10)}</code> },
                  { name: "Subject", cell: (row) => row.subject },
                ]}
                rows={commits}
                keyOf={({ hash }) => hash}
              />
            )}
            {receipts.length > 0 && (
              <p>
                <a href={linkTo("gates", id)}>{receipts.length} receipts</a>
              </p>
            )}
          </>
        )}
      </Answer>
    </View>
  );
}

function Locations({
  caption,
  rows,
}: {
  caption: string;
  rows: readonly { path: string; line: number; name: string }[];
}) {
  if (rows.length === 0) return <p class="quiet">{caption}: none</p>;
  return (
    <Table
      caption={caption}
      columns={[
        { name: "Where", cell: ({ path, line }) => <DocumentLink path={path} line={line} /> },
        { name: "What", cell: ({ name }) => name },
      ]}
      rows={rows}
      keyOf={({ path, line, name }) => `${path} ${line} ${name}`}
    />
  );
}
