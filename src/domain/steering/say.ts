import { isBlank } from "./blank.ts";
import {
  findSection,
  ownText,
  sameWords,
  type Section,
  sectionsIn,
  withAdded,
  withOwnText,
  withSection,
} from "./section.ts";
import { unreadable } from "./unreadable.ts";

export type Saying = "adding" | "replacing";

export function sayUnderTitle(text: string, said: string, how: Saying): string {
  const [title] = sectionsIn(text);
  return title?.heading.level === 1 ? sayIn(text, title, said, how) : `${said.trim()}\n\n${text}`;
}

/** Creates a missing heading before `before`, otherwise at the end. */
export function sayUnder(text: string, heading: string, said: string, how: Saying, before?: string): string {
  const section = findSection(text, heading);
  if (section) return sayIn(text, section, said, how);
  const next = before === undefined ? undefined : findSection(text, before)?.start;
  const added = withSection(text, { title: heading, level: 2, body: said }, next);
  if (!findSection(added, heading)) throw unreadable(heading);
  return added;
}

function sayIn(text: string, section: Section, said: string, how: Saying): string {
  const present = ownText(text, section);
  if (sameWords(present, said)) return text;
  if (how === "replacing") return withOwnText(text, section, said);
  return hasSaid(present, said) ? text : withAdded(text, section, said);
}

function hasSaid(present: string, said: string): boolean {
  const [all, wanted] = [present, said].map((text) => linesOf(text).map(words));
  const [first = ""] = wanted ?? [];
  return (all ?? []).some((line, i) => line === first && (wanted ?? []).every((each, k) => all?.[i + k] === each));
}

const linesOf = (text: string): string[] => text.split(/\r\n|\r|\n/).filter((line) => line.trim() !== "");
const words = (line: string): string => line.trim().replace(/\s+/g, " ");

/** Whether a line that a person wrote is gone. Placeholders do not count. */
export function losesWords(before: string, after: string): boolean {
  const left = linesOf(after).map(words);
  return linesOf(before).some((line) => {
    const at = left.indexOf(words(line));
    if (at >= 0) left.splice(at, 1);
    return at < 0 && !isBlank(line);
  });
}
