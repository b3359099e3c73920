import { findNamedSpecIds, formatTagName, type TagTarget } from "../scan/tags.ts";

export interface CommitMessage {
  readonly subject: string;
  readonly trailers: string;
}

const NON_SPEC_TRAILER = /^(?:[\w-]+-by|change-id|git-[\w-]+|cc)\s*[:=]/i;
/** Names of standards look like ids and occur in many subjects. */
const STANDARD_NAME = /^(?:AES|ANSI|CVE|CWE|ECMA|EN|FIPS|HTTP|IEC|IEEE|ISO|MD|PEP|RFC|RSA|SHA|TLS|UTF|WCAG)-/;
const COMMIT_SCOPE = /^[a-z]+\(([^()]*)\)!?:/i;

/**
 * Reads ids from the scope, `feat(AUTH-001, AUTH-002): …`, the subject and the trailers. Ignores the body, which may
 * mention any id.
 */
export function parseCommitIds({ subject, trailers }: CommitMessage): TagTarget[] {
  const scope = COMMIT_SCOPE.exec(subject)?.[1] ?? "";
  const named = trailers.split("\n").filter((line) => !NON_SPEC_TRAILER.test(line));
  const rest = findNamedSpecIds(subject).filter(({ spec }) => !STANDARD_NAME.test(spec));
  const all = [
    ...findNamedSpecIds(scope),
    ...rest,
    ...named.flatMap((line) => findNamedSpecIds(line.replace(/^[^:=]*[:=]/, ""))),
  ];
  return [...new Map(all.map((said) => [formatTagName(said), said])).values()];
}

export const listCommitSpecs = (message: CommitMessage): string[] => [
  ...new Set(parseCommitIds(message).map(({ spec }) => spec)),
];
