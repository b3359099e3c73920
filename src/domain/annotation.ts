import { printable } from "./quote.ts";

export interface Annotation {
  readonly level: "error" | "warning";
  readonly title: string;
  readonly message: string;
  readonly path?: string | undefined;
  readonly line?: number | undefined;
}

/** A workflow command that GitHub shows next to the file. */
export function annotation({ level, title, message, path, line }: Annotation): string {
  const properties = [
    ...(path === undefined ? [] : [`file=${property(path)}`]),
    ...(path === undefined || line === undefined ? [] : [`line=${line}`]),
    `title=${property(title)}`,
  ];
  return `::${level} ${properties.join(",")}::${data(message)}`;
}

/** GitHub reads `##[` as a command anywhere in a build log. */
export const inLog = (text: string): string => text.replaceAll("##[", "## [");

/** Prevents a message from ending itself or starting a command. */
const data = (text: string): string =>
  text
    .split(/\r?\n/)
    .map((line) => printable(line).replaceAll("%", "%25"))
    .join("%0A");

const property = (text: string): string => data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
