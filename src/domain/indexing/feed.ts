import { idsIn, nameOfTag, type Said } from "../scan/tags.ts";

export interface Message {
  readonly subject: string;
  readonly trailers: string;
}

const OTHERS = /^(?:[\w-]+-by|change-id|git-[\w-]+|cc)\s*[:=]/i;
/** Names of standards look like ids and occur in many subjects. */
const STANDARDS = /^(?:AES|ANSI|CVE|CWE|ECMA|EN|FIPS|HTTP|IEC|IEEE|ISO|MD|PEP|RFC|RSA|SHA|TLS|UTF|WCAG)-/;
const SCOPE = /^[a-z]+\(([^()]*)\)!?:/i;

/**
 * Reads ids from the scope, `feat(AUTH-001, AUTH-002): …`, the subject and the trailers. Ignores the body, which may
 * mention any id.
 */
export function saidIn({ subject, trailers }: Message): Said[] {
  const scope = SCOPE.exec(subject)?.[1] ?? "";
  const named = trailers.split("\n").filter((line) => !OTHERS.test(line));
  const rest = idsIn(subject).filter(({ spec }) => !STANDARDS.test(spec));
  const all = [...idsIn(scope), ...rest, ...named.flatMap((line) => idsIn(line.replace(/^[^:=]*[:=]/, "")))];
  return [...new Map(all.map((said) => [nameOfTag(said), said])).values()];
}

export const specIdsIn = (message: Message): string[] => [...new Set(saidIn(message).map(({ spec }) => spec))];
