import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from "@tanstack/virtual-core";
import { diffWordsWithSpace } from "diff";
import type { ComponentChildren, JSX } from "preact";
import { useLayoutEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";
import { type CallFault, linkTo, type Loaded, snapshot } from "./page-state.ts";

export function View({ title, about, children }: { title: string; about: string; children: ComponentChildren }) {
  return (
    <section aria-labelledby="view-title">
      <h1 id="view-title" tabIndex={-1}>
        {title}
      </h1>
      <p class="about">{about}</p>
      {children}
    </section>
  );
}

export function FaultNote({ fault }: { fault: CallFault }) {
  return (
    <div class="fault" role="alert">
      <strong>{fault.what}</strong> {fault.why}
      {fault.fix.map((line) => (
        <pre key={line}>{line}</pre>
      ))}
    </div>
  );
}

/** Shows the answer, or why there is none. */
export function Answer<Data>({ of, children }: { of: Loaded<Data>; children: (data: Data) => ComponentChildren }) {
  if (of.fault) return <FaultNote fault={of.fault} />;
  return of.data === undefined ? <p class="quiet">Reading…</p> : <>{children(of.data)}</>;
}

/** Says what to type where there is nothing to show yet. */
export function Empty({ children, command }: { children: ComponentChildren; command?: string }) {
  return (
    <p class="empty">
      {children}
      {command && (
        <>
          {" "}
          Type <code>{command}</code>.
        </>
      )}
    </p>
  );
}

export type Tone = "good" | "bad" | "warn" | "plain";

export const Badge = ({ tone = "plain", children }: { tone?: Tone; children: ComponentChildren }) => (
  <span class={`badge ${tone}`}>{children}</span>
);

export const DocumentLink = ({ path, line }: { path: string; line?: number | undefined }) => {
  const address = line ? `${path}:${line}` : path;
  // A snapshot has no code.
  return snapshot && !path.startsWith("sdd/") ? (
    <code>{address}</code>
  ) : (
    <a href={linkTo("documents", path.startsWith("sdd/") ? path : address)}>{address}</a>
  );
};

/** Beyond it a comparison takes seconds, and nobody reads it. */
const MAX_EDITS = 2_000;

/** Two texts as one: removed words are struck out, new words underlined. */
export function TextDifference({ from, to }: { from: string; to: string }) {
  const parts = useMemo(
    () =>
      diffWordsWithSpace(from, to, { maxEditLength: MAX_EDITS }) ?? [
        { value: from, removed: true, added: false },
        { value: to, removed: false, added: true },
      ],
    [from, to],
  );
  return (
    <pre class="difference" tabIndex={0}>
      {parts.map(({ value, added, removed }, i) =>
        added ? <ins key={i}>{value}</ins> : removed ? <del key={i}>{value}</del> : value,
      )}
    </pre>
  );
}

const formatter = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

export const Time = ({ at }: { at: string }) => (
  <time dateTime={at}>{Number.isNaN(Date.parse(at)) ? at : formatter.format(new Date(at))}</time>
);

export const formatTokens = (tokens: number): string =>
  tokens >= 1_000_000
    ? `${(tokens / 1_000_000).toFixed(1)} M`
    : tokens >= 1_000
      ? `${Math.round(tokens / 1_000)} k`
      : `${tokens}`;

interface Column<Row> {
  readonly name: string;
  readonly cell: (row: Row) => ComponentChildren;
}

const ROW_HEIGHT = 40;
/** Shorter tables are drawn whole, so that a printer and a search of the browser see all rows. */
const WHOLE_TABLE_ROWS = 200;

interface TableProps<Row> {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
}

export function Table<Row>({ caption, columns, rows, keyOf }: TableProps<Row>) {
  const isWhole = rows.length <= WHOLE_TABLE_ROWS;
  const frame = useRef<HTMLDivElement>(null);
  const visible = useVirtualRows(frame, isWhole ? 0 : rows.length);
  const shown = isWhole ? rows : rows.slice(visible.first, visible.last);
  const spacer = (height: number): JSX.Element | null =>
    height > 0 ? (
      <tr aria-hidden="true">
        <td colSpan={columns.length} style={{ height: `${height}px`, padding: 0 }} />
      </tr>
    ) : null;
  return (
    // A region that scrolls must be reachable by keyboard.
    <div ref={frame} class={isWhole ? "table" : "table long"} tabIndex={0} role="region" aria-label={caption}>
      <table aria-rowcount={rows.length}>
        <caption>{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ name }) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {!isWhole && spacer(visible.first * ROW_HEIGHT)}
          {shown.map((row) => (
            <tr key={keyOf(row)} style={isWhole ? {} : { height: `${ROW_HEIGHT}px` }}>
              {columns.map(({ name, cell }) => (
                <td key={name} data-label={name}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
          {!isWhole && spacer((rows.length - visible.last) * ROW_HEIGHT)}
        </tbody>
      </table>
    </div>
  );
}

/** The rows that a scrolled frame shows. */
export function useVirtualRows(frame: { readonly current: HTMLElement | null }, count: number, size = ROW_HEIGHT) {
  const [, redraw] = useReducer((turn: number) => turn + 1, 0);
  const options = {
    count,
    getScrollElement: () => frame.current,
    estimateSize: () => size,
    overscan: 10,
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    onChange: () => redraw(0),
  };
  const [virtualizer] = useState(() => new Virtualizer<HTMLElement, HTMLElement>(options));
  virtualizer.setOptions(options);
  useLayoutEffect(() => virtualizer._didMount(), [virtualizer]);
  useLayoutEffect(() => virtualizer._willUpdate());
  const items = virtualizer.getVirtualItems();
  return { first: items[0]?.index ?? 0, last: (items.at(-1)?.index ?? -1) + 1 };
}
