import type { Carrier } from "./carrier.ts";

export interface Holder {
  readonly ref: string;
  readonly line: number;
  readonly lastLine: number;
}

export interface Served {
  readonly carrier: Carrier;
  readonly from: "itself" | "around" | "file";
}

export function servedBy(carriers: readonly Carrier[], holders: readonly Holder[], of: Holder | undefined): Served[] {
  if (!of) return carriers.map((carrier) => ({ carrier, from: "itself" }));
  const spans = new Map(holders.map((each) => [each.ref, each]));
  const rank = { itself: 0, around: 1, file: 2 };
  return carriers
    .flatMap((carrier): Served[] => {
      if (carrier.ref === undefined) return [{ carrier, from: carrier.test === undefined ? "file" : "itself" }];
      if (carrier.ref === of.ref) return [{ carrier, from: "itself" }];
      const holder = spans.get(carrier.ref);
      if (!holder) return [];
      if (holds(of, holder)) return [{ carrier, from: "itself" }];
      return holds(holder, of) ? [{ carrier, from: "around" }] : [];
    })
    .filter(({ carrier }) => carrier.ref !== undefined || carrier.test === undefined || isIn(of, carrier.line))
    .toSorted((one, other) => rank[one.from] - rank[other.from]);
}

const holds = (outer: Holder, inner: Holder): boolean => outer.line <= inner.line && outer.lastLine >= inner.lastLine;

const isIn = ({ line, lastLine }: Holder, at: number): boolean => line <= at && at <= lastLine;

/** `src/a.ts`, `./src/a.ts`, `src/a.ts#Session.login`, `src/a.ts:15`. */
export interface Spot {
  readonly path: string;
  readonly symbol?: string;
  readonly line?: number;
}

export function parseSpot(text: string): Spot {
  const clean = text
    .trim()
    .replaceAll("\\", "/")
    .replace(/^(?:\.\/)+/, "");
  const [, path = clean, symbol, line] = /^(.+?)(?:#(.+)|:([0-9]{1,7})(?::[0-9]+)?)?$/s.exec(clean) ?? [];
  return { path, ...(symbol === undefined ? {} : { symbol }), ...(line === undefined ? {} : { line: Number(line) }) };
}
