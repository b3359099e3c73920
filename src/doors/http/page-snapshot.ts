import type { OperationId } from "../catalogue.ts";
import { findApiRoute } from "./api-table.ts";
import type { UiHost } from "./ui-server.ts";
import { Fault } from "#kernel/model/fault.ts";
import { validateOperationInput } from "#kernel/operations/operation.ts";

type ApiCall = readonly [id: OperationId, input: Readonly<Record<string, unknown>>];

/** What the views read first. Memory is personal, so a snapshot has none. */
const VIEW_CALLS: readonly ApiCall[] = [
  ["workspace.status", {}],
  ["workflow.status", { all: true }],
  ["change.list", {}],
  ["roadmap.graph", {}],
  ["roadmap.manage", { action: "show" }],
  ["run.show", {}],
  ["gate.verify", {}],
  ["workflow.stats", {}],
  ["trace.show", {}],
  ["trace.drift", {}],
  ["adr.list", {}],
  ["approval.answer", { list: true }],
  ["workspace.doctor", {}],
  ["workspace.documents", {}],
];
const MAX_SNAPSHOT_BYTES = 20 * 1024 * 1024;

const formatCallKey = (id: string, input: unknown): string => `${id} ${JSON.stringify(input)}`;

/** Files of a folder that shows the page without a server: as for a pull request or an audit. */
export async function createPageSnapshot(host: Pick<UiHost, "open" | "pageFile">, at: string) {
  const answers: Record<string, unknown> = {};
  let bytes = 0;
  const keep = async ([id, input]: ApiCall): Promise<unknown> => {
    const answer = await answerCall(host, id, input);
    bytes += JSON.stringify(answer).length;
    if (bytes <= MAX_SNAPSHOT_BYTES) answers[formatCallKey(id, input)] = answer;
    return answer;
  };
  for (const call of VIEW_CALLS) await keep(call);
  const { documents = [] } = answers[formatCallKey("workspace.documents", {})] as { documents?: readonly string[] };
  for (const path of documents) await keep(["workspace.documents", { path }]);
  const { specs = [] } = answers[formatCallKey("trace.show", {})] as { specs?: readonly { readonly id: string }[] };
  for (const { id } of specs) await keep(["trace.show", { id }]);
  // A tag in a text must not end the data.
  const data = JSON.stringify({ at, answers }).replaceAll("<", "\\u003c");
  const html = readPageText(host, "index.html")
    .replaceAll('"/page.', '"page.')
    .replace("</head>", () => `<script type="application/json" id="snapshot">${data}</script></head>`);
  return [
    { path: "index.html", text: html },
    ...["page.js", "page.css"].map((path) => ({ path, text: readPageText(host, path) })),
  ];
}

/** A view whose answer is a fault shows the fault, as the live page does. */
async function answerCall(host: Pick<UiHost, "open">, id: OperationId, input: ApiCall[1]): Promise<unknown> {
  const route = await findApiRoute(id);
  if (!route) throw new Error(`The page has no call ${id}.`);
  try {
    return await route.operation.run(await host.open(), await validateOperationInput(route.operation, input));
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const { code, what, why } = error;
    return { error: { code, what, why, fix: [] } };
  }
}

const readPageText = ({ pageFile }: Pick<UiHost, "pageFile">, name: string): string =>
  new TextDecoder().decode(pageFile(name) ?? new Uint8Array());
