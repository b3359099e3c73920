import { quote } from "../quote.ts";
import type { Receipt } from "./receipt.ts";
import { castSealedReceipt, formatReceiptLine, type SealedReceipt, findSealedReceiptProblem } from "./receipt-form.ts";
import type { Problem } from "./verdict.ts";

/** SHA-256 of a text, as 64 hexadecimal digits. */
export type TextDigest = (text: string) => string;

export interface ChainedReceipt {
  readonly receipt: Receipt;
  readonly line: number;
  readonly hash: string;
}

/** All receipts of one file. An edited line is reported as a problem and left out of the receipts. */
export interface ReceiptChain {
  readonly receipts: readonly ChainedReceipt[];
  readonly problems: readonly Problem[];
}

export const CHAIN_START_HASH = "0".repeat(64);

/** Checks only the last line: call `readReceiptChain` first to make sure that the chain is intact. */
export function appendReceiptLine(text: string, receipt: Receipt, digest: TextDigest): { text: string; hash: string } {
  const lines = splitReceiptLines(text);
  const last = lines.at(-1);
  const linked = { ...receipt, prev: last === undefined ? CHAIN_START_HASH : digest(last) };
  const hash = digest(formatReceiptLine(linked));
  return { text: [...lines, formatReceiptLine({ ...linked, hash }), ""].join("\n"), hash };
}

/** Cannot detect a file truncated at the end of a line: that is a shorter valid chain. */
export function readReceiptChain(text: string, digest: TextDigest, workflow?: string): ReceiptChain {
  const lines = splitReceiptLines(text);
  const digests = lines.map(digest);
  const isTorn = text !== "" && !text.endsWith("\n");
  const read = lines.map((line, i) => readReceiptLine(line, isTorn && i === lines.length - 1, digest));
  const first = new Map<string, number>();
  const problems = read.flatMap((found, i): Problem[] => {
    const line = i + 1;
    if (found.problem !== undefined) return [{ problem: found.problem, line }];
    const { sealed } = found;
    const earlier = first.get(sealed.id);
    first.set(sealed.id, earlier ?? line);
    const isEditedBefore = i > 0 && read[i - 1]?.problem !== undefined;
    return [
      ...(isEditedBefore ? [] : listLinkProblems(sealed, i, digests)),
      ...(earlier === undefined ? [] : [`${quote(sealed.id, 60)} is the id of line ${earlier} already.`]),
      ...(workflow === undefined || sealed.workflow === workflow
        ? []
        : [`It is a receipt of ${quote(sealed.workflow, 60)}, not of ${workflow}.`]),
    ].map((problem) => ({ problem, line }));
  });
  const receipts = read.flatMap(({ sealed }, i) => (sealed ? [createChainedReceipt(sealed, i + 1)] : []));
  return { receipts, problems };
}

/** A checkout may convert all line ends to CRLF; the content is the same. */
function splitReceiptLines(text: string): string[] {
  const isWindows = text.includes("\r\n") && !/(?:^|[^\r])\n/.test(text);
  const lines = (isWindows ? text.replaceAll("\r\n", "\n") : text).split("\n");
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

type ReceiptLineReading =
  | { readonly sealed: SealedReceipt; readonly problem?: undefined }
  | { readonly sealed?: undefined; readonly problem: string };

function readReceiptLine(line: string, isTorn: boolean, digest: TextDigest): ReceiptLineReading {
  if (/^(?:<{7}|={7}|>{7}|\|{7})(?: |$)/.test(line)) {
    return { problem: "A merge left its mark: keep the lines of one side, then run the gate again." };
  }
  const value = parseReceiptJson(line);
  if (isTorn) return { problem: "It is torn: the line does not end." };
  if (value === undefined) return { problem: "It is not JSON." };
  const shape = findSealedReceiptProblem(value);
  if (shape !== undefined) return { problem: `It is no receipt: ${shape}.` };
  const sealed = castSealedReceipt(value);
  const { hash, ...linked } = sealed;
  if (digest(formatReceiptLine(linked)) !== hash) {
    return { problem: `${quote(sealed.id, 60)} was edited: its hash is not that of what it says.` };
  }
  // The same values in different bytes: spaces, another field order, a repeated field.
  if (formatReceiptLine(sealed) !== line)
    return { problem: `${quote(sealed.id, 60)} is not written as Tenon writes it.` };
  return { sealed };
}

function listLinkProblems({ prev }: SealedReceipt, i: number, digests: readonly string[]): string[] {
  if (prev === (digests[i - 1] ?? CHAIN_START_HASH)) return [];
  if (i === 0) return ["It is not the first receipt: those before it were removed."];
  if (prev === CHAIN_START_HASH) return ["It begins a chain of its own: two chains were put together."];
  const place = digests.indexOf(prev);
  if (place >= 0) return [`It follows line ${place + 1}, not line ${i}: lines were moved, repeated or put in.`];
  return [`It does not follow line ${i}: a line was removed or edited between them.`];
}

function createChainedReceipt(sealed: SealedReceipt, line: number): ChainedReceipt {
  const { prev: _, hash, ...receipt } = sealed;
  return { receipt, line, hash };
}

function parseReceiptJson(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return undefined;
  }
}
