import { idsIn, nameOfTag, type Said } from "../scan/tags.ts";

/** What a commit says of itself. */
export interface Message {
  /** Its first paragraph, in one line. */
  readonly subject: string;
  /** The lines at its end that name something each: `Spec: AUTH-001`. */
  readonly trailers: string;
}

/** Trailers that name people or tools, never specs. */
const OTHERS = /^(?:[\w-]+-by|change-id|git-[\w-]+|cc)\s*[:=]/i;
/** Names of standards are built as ids are, and stand in many a subject. */
const STANDARDS = /^(?:AES|ANSI|CVE|CWE|ECMA|EN|FIPS|HTTP|IEC|IEEE|ISO|MD|PEP|RFC|RSA|SHA|TLS|UTF|WCAG)-/;
const SCOPE = /^[a-z]+\(([^()]*)\)!?:/i;

/**
 * Which specs and criteria a commit names: in its scope, `feat(AUTH-001, AUTH-002): …`, elsewhere in its subject, and in
 * its trailers. A body may speak of anything, and is not asked.
 */
export function saidIn({ subject, trailers }: Message): Said[] {
  const scope = SCOPE.exec(subject)?.[1] ?? "";
  const named = trailers.split("\n").filter((line) => !OTHERS.test(line));
  const rest = idsIn(subject).filter(({ spec }) => !STANDARDS.test(spec));
  const all = [...idsIn(scope), ...rest, ...named.flatMap((line) => idsIn(line.replace(/^[^:=]*[:=]/, "")))];
  return [...new Map(all.map((said) => [nameOfTag(said), said])).values()];
}

/** The specs alone, each once, those of the scope first. */
export const specIdsIn = (message: Message): string[] => [...new Set(saidIn(message).map(({ spec }) => spec))];
