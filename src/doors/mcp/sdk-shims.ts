/**
 * Replaces the SDK's `_shims` in the bundle (see scripts/build.ts). The original imports `node:process` as a module,
 * which costs a fifth of Node's start, and a JSON Schema validator that this server never uses: operations check their
 * input with their own schemas.
 */
export const process = globalThis.process;

export class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new Error("Tenon's server validates with the operations' own schemas.");
  }
}
