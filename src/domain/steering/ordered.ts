import { findSection, type Section, withSection } from "./section.ts";
import { unreadable } from "./unreadable.ts";

export type Order = readonly (readonly [title: string, within?: string])[];

export function ensuredIn(order: Order, text: string, title: string): [text: string, section: Section] {
  const present = findSection(text, title);
  if (present) return [text, present];
  const within = order.find(([name]) => name === title)?.[1];
  const [base, parent] = within === undefined ? [text, undefined] : ensuredIn(order, text, within);
  const level = parent ? parent.heading.level + 1 : 2;
  const made = withSection(base, { title, level }, placeFor(order, base, title, parent));
  const section = findSection(made, title);
  if (section) return [made, section];
  throw unreadable(title);
}

/** Before the next known sibling, otherwise at the end of the parent. */
function placeFor(order: Order, text: string, title: string, parent: Section | undefined): number | undefined {
  const index = order.findIndex(([name]) => name === title);
  const within = order[index]?.[1];
  const later = order.slice(index + 1).filter(([, of]) => of === within);
  const isInside = ({ start, to }: Section): boolean => !parent || (start >= parent.from && to <= parent.to);
  const next = later.map(([name]) => findSection(text, name)).find((section) => section && isInside(section));
  return next?.start ?? (parent && parent.to < text.length ? parent.to : undefined);
}
