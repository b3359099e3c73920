export function parseBatchNumber(batch: string): number | undefined {
  return /^B[1-9]\d{0,5}$/.test(batch) ? Number(batch.slice(1)) : undefined;
}

export const isBatchId = (value: unknown): boolean =>
  typeof value === "string" && parseBatchNumber(value) !== undefined;
