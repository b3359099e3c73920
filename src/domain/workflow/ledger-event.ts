export interface LedgerEvent {
  readonly at: string;
  readonly kind: string;
  readonly subject: string;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly ms?: number;
}

type EventData = Pick<LedgerEvent, "data">;

export function readEventText({ data }: EventData, name: string): string | undefined {
  const value = data?.[name];
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

export function readEventTexts({ data }: EventData, name: string): string[] {
  const value = data?.[name];
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}

export function readEventNumber({ data }: EventData, name: string): number | undefined {
  const value = data?.[name];
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

export const isTakeoverEvent = ({ data }: EventData): boolean =>
  data?.["taken_over"] !== undefined && data["taken_over"] !== false;

/** Splits `workflow.stage-opened` into `workflow` and `stage-opened`. */
export function splitEventKind(kind: string): readonly [family: string, what: string] {
  const dot = kind.indexOf(".");
  return dot === -1 ? [kind, ""] : [kind.slice(0, dot), kind.slice(dot + 1)];
}
