import { printable } from "./quote.ts";

export interface Annotation {
  readonly level: "error" | "warning";
  /** Who says so. */
  readonly title: string;
  readonly message: string;
  readonly path?: string | undefined;
  readonly line?: number | undefined;
}

/** A line that GitHub shows beside the file it is about. */
export function annotation({ level, title, message, path, line }: Annotation): string {
  const properties = [
    ...(path === undefined ? [] : [`file=${property(path)}`]),
    ...(path === undefined || line === undefined ? [] : [`line=${line}`]),
    `title=${property(title)}`,
  ];
  return `::${level} ${properties.join(",")}::${data(message)}`;
}

/** Text for a line of a build's log: GitHub takes `##[` for a command wherever it stands in one. */
export const inLog = (text: string): string => text.replaceAll("##[", "## [");

/** Nothing in a message can end it, or begin another command. */
const data = (text: string): string =>
  text
    .split(/\r?\n/)
    .map((line) => printable(line).replaceAll("%", "%25"))
    .join("%0A");

const property = (text: string): string => data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
