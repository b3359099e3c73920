import type { DocumentPiece } from "#kernel/model/document/document-pieces.ts";
import type { ContextCheck } from "../change/change-record.ts";

type Digest = (text: string) => string;
type SpecFingerprint = Required<Pick<ContextCheck, "pieces" | "quoted">>;

/** Characters of a digest. Pieces of one document have to differ, no more. */
const SHORT_DIGEST_LENGTH = 8;
/** Pieces per document, so that the record stays small. */
const MAX_DIGESTED_PIECES = 4_000;

const digestPiece = (digest: Digest, { title, text }: DocumentPiece): string =>
  digest(`${title}\n${text}`).slice(0, SHORT_DIGEST_LENGTH);

const formatPieceKey = ({ path, title }: DocumentPiece): string => `${path} ${title}`;

export function fingerprintSpecs(
  digest: Digest,
  pieces: readonly DocumentPiece[],
  quoted: readonly DocumentPiece[],
): SpecFingerprint {
  const grouped = Map.groupBy(pieces, ({ path }) => path);
  return {
    pieces: Object.fromEntries(
      [...grouped].map(([path, own]) => {
        const digests = own.slice(0, MAX_DIGESTED_PIECES).map((piece) => digestPiece(digest, piece));
        return [path, digests.join(" ")];
      }),
    ),
    quoted: [...new Set(quoted.map(formatPieceKey))],
  };
}

/** Names the lines of relevant pieces that are new, changed or gone since the fingerprint was taken. */
export function describeSpecChanges(
  digest: Digest,
  before: SpecFingerprint,
  pieces: readonly DocumentPiece[],
  relevant: readonly DocumentPiece[],
): string[] {
  const known = new Map(Object.entries(before.pieces).map(([path, digests]) => [path, new Set(digests.split(" "))]));
  const changed = relevant.filter((piece) => {
    const digests = known.get(piece.path);
    return !digests || (digests.size < MAX_DIGESTED_PIECES && !digests.has(digestPiece(digest, piece)));
  });
  const quoted = new Set(before.quoted);
  const present = new Set(pieces.map(formatPieceKey));
  return [
    ...changed.map((piece) => {
      const how = quoted.has(formatPieceKey(piece)) ? "changed" : "is new or changed";
      return `${piece.path}:${piece.line}: ${piece.title} ${how}.`;
    }),
    ...before.quoted.flatMap((key) => {
      const [path = "", ...title] = key.split(" ");
      return present.has(key) ? [] : [`${path}: ${title.join(" ")} is gone.`];
    }),
  ];
}
