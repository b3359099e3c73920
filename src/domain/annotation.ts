import { escapeUnprintable } from "./quote.ts";

export interface GithubAnnotation {
  readonly level: "error" | "warning";
  readonly title: string;
  readonly message: string;
  readonly path?: string | undefined;
  readonly line?: number | undefined;
}

/** A workflow command that GitHub shows next to the file. */
export function formatGithubAnnotation({ level, title, message, path, line }: GithubAnnotation): string {
  const properties = [
    ...(path === undefined ? [] : [`file=${escapeAnnotationProperty(path)}`]),
    ...(path === undefined || line === undefined ? [] : [`line=${line}`]),
    `title=${escapeAnnotationProperty(title)}`,
  ];
  return `::${level} ${properties.join(",")}::${escapeAnnotationText(message)}`;
}

/** GitHub reads `##[` as a command anywhere in a build log. */
export const escapeLogCommands = (text: string): string => text.replaceAll("##[", "## [");

/** Prevents a message from ending itself or starting a command. */
const escapeAnnotationText = (text: string): string =>
  text
    .split(/\r?\n/)
    .map((line) => escapeUnprintable(line).replaceAll("%", "%25"))
    .join("%0A");

const escapeAnnotationProperty = (text: string): string =>
  escapeAnnotationText(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
