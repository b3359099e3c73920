import type { TraceLocation } from "./carrier.ts";

export interface ComponentSpan {
  readonly ref: string;
  readonly line: number;
  readonly lastLine: number;
}

export interface ServedLocation {
  readonly carrier: TraceLocation;
  readonly from: "itself" | "around" | "file";
}

export function listServedLocations(
  carriers: readonly TraceLocation[],
  holders: readonly ComponentSpan[],
  of: ComponentSpan | undefined,
): ServedLocation[] {
  if (!of) return carriers.map((carrier) => ({ carrier, from: "itself" }));
  const spans = new Map(holders.map((each) => [each.ref, each]));
  const rank = { itself: 0, around: 1, file: 2 };
  return carriers
    .flatMap((carrier): ServedLocation[] => {
      if (carrier.ref === undefined) return [{ carrier, from: carrier.test === undefined ? "file" : "itself" }];
      if (carrier.ref === of.ref) return [{ carrier, from: "itself" }];
      const holder = spans.get(carrier.ref);
      if (!holder) return [];
      if (isSpanAround(of, holder)) return [{ carrier, from: "itself" }];
      return isSpanAround(holder, of) ? [{ carrier, from: "around" }] : [];
    })
    .filter(({ carrier }) => carrier.ref !== undefined || carrier.test === undefined || isLineInSpan(of, carrier.line))
    .toSorted((one, other) => rank[one.from] - rank[other.from]);
}

const isSpanAround = (outer: ComponentSpan, inner: ComponentSpan): boolean =>
  outer.line <= inner.line && outer.lastLine >= inner.lastLine;

const isLineInSpan = ({ line, lastLine }: ComponentSpan, at: number): boolean => line <= at && at <= lastLine;

/** `src/a.ts`, `./src/a.ts`, `src/a.ts#Session.login`, `src/a.ts:15`. */
export interface CodePosition {
  readonly path: string;
  readonly symbol?: string;
  readonly line?: number;
}

export function parseCodePosition(text: string): CodePosition {
  const clean = text
    .trim()
    .replaceAll("\\", "/")
    .replace(/^(?:\.\/)+/, "");
  const [, path = clean, symbol, line] = /^(.+?)(?:#(.+)|:([0-9]{1,7})(?::[0-9]+)?)?$/s.exec(clean) ?? [];
  return { path, ...(symbol === undefined ? {} : { symbol }), ...(line === undefined ? {} : { line: Number(line) }) };
}
