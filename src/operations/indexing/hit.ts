import type { Hit } from "#domain/indexing/query/answer.ts";
import type { Ask } from "#domain/indexing/query/ask.ts";
import { summaryOf } from "#domain/indexing/summary.ts";
import { oneLineOf, summaryText } from "#domain/indexing/summary/one-line.ts";
import type { CodeIndex, ComponentRow, Entry } from "../ports/code-index.ts";

/** Characters of what is said: of what was asked for by its name, of the best match, of the others. */
const EXACT = 400;
const BEST = 200;
const OTHERS = 90;
/** Characters of a signature: of the best, of the others. */
const BEST_SIGNATURE = 240;
const SIGNATURE = 110;

/** What is shown of entries, best first. */
export async function hitsOf(index: CodeIndex, entries: readonly Entry[], ask: Ask): Promise<Hit[]> {
  const summaries = await index.summaries(entries.map(({ key }) => key));
  return entries.map((entry, i) => {
    const isBest = i === 0;
    const most = isBest ? (ask.exact === undefined ? BEST : EXACT) : OTHERS;
    const kept = summaries.get(entry.key);
    if (entry.component) return componentHit(entry.component, most, isBest ? BEST_SIGNATURE : SIGNATURE, kept);
    const isText = entry.kind === "spec" || entry.kind === "doc";
    const says = isText ? summaryText(`${entry.text}`, most) : summaryText(kept?.text ?? entry.text, most);
    return {
      key: entry.key,
      at: isText ? `${entry.path}:${entry.line}` : entry.path,
      is: isText ? `${entry.kind} ${entry.kind === "spec" ? `${entry.key} ` : ""}${entry.title}` : "file",
      ...(says === "" ? {} : { says }),
    };
  });
}

function componentHit(
  row: ComponentRow,
  most: number,
  ofSignature: number,
  kept: Parameters<typeof summaryOf>[1],
): Hit {
  const summed = summaryOf({ ...row, kind: row.kind }, kept);
  // What code says of itself without a doc comment is its signature once more.
  const says = summed.source === "itself" && row.doc === "" ? "" : most > BEST ? longer(row, summed.text) : summed.text;
  return {
    key: `${row.path}#${row.ref}`,
    at: placeOf(row),
    is: summaryText(saidAs(row), ofSignature),
    ...(says === "" ? {} : { says: summaryText(says, most) }),
  };
}

const longer = ({ doc }: ComponentRow, summed: string): string =>
  summed !== "" && !doc.startsWith(summed.slice(0, 20)) ? `${summed} ${doc}` : doc;

export const placeOf = ({ path, line, lastLine }: Pick<ComponentRow, "path" | "line" | "lastLine">): string =>
  `${path}:${line}${lastLine > line ? `-${lastLine}` : ""}`;

/** What it is and what it takes: `method Session.login(name: string): Token`, without what stands before the name. */
export function saidAs({ kind, name, ref, signature }: ComponentRow): string {
  const escaped = name.replaceAll(/[^\p{L}\p{N}]/gu, "\\$&");
  const at = signature.search(new RegExp(`(?<![\\w$])${escaped}(?![\\w$])`));
  const behind = at === -1 ? "" : signature.slice(at + name.length);
  return oneLineOf(`${kind} ${ref}${behind}`);
}
