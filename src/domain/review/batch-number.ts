export function batchNumber(batch: string): number | undefined {
  return /^B[1-9]\d{0,5}$/.test(batch) ? Number(batch.slice(1)) : undefined;
}

export const isBatch = (value: unknown): boolean => typeof value === "string" && batchNumber(value) !== undefined;
