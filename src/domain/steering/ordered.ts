import { findMarkdownSection, type MarkdownSection, insertMarkdownSection } from "./section.ts";
import { createHiddenSectionFault } from "./unreadable.ts";

export type SectionOrder = readonly (readonly [title: string, within?: string])[];

export function ensureOrderedSection(
  order: SectionOrder,
  text: string,
  title: string,
): [text: string, section: MarkdownSection] {
  const present = findMarkdownSection(text, title);
  if (present) return [text, present];
  const within = order.find(([name]) => name === title)?.[1];
  const [base, parent] = within === undefined ? [text, undefined] : ensureOrderedSection(order, text, within);
  const level = parent ? parent.heading.level + 1 : 2;
  const made = insertMarkdownSection(base, { title, level }, findSectionPosition(order, base, title, parent));
  const section = findMarkdownSection(made, title);
  if (section) return [made, section];
  throw createHiddenSectionFault(title);
}

/** Before the next known sibling, otherwise at the end of the parent. */
function findSectionPosition(
  order: SectionOrder,
  text: string,
  title: string,
  parent: MarkdownSection | undefined,
): number | undefined {
  const index = order.findIndex(([name]) => name === title);
  const within = order[index]?.[1];
  const later = order.slice(index + 1).filter(([, of]) => of === within);
  const isInside = ({ start, to }: MarkdownSection): boolean => !parent || (start >= parent.from && to <= parent.to);
  const next = later.map(([name]) => findMarkdownSection(text, name)).find((section) => section && isInside(section));
  return next?.start ?? (parent && parent.to < text.length ? parent.to : undefined);
}
