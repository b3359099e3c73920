import type { OperationId, ToolSurface } from "../catalogue.ts";
import { listApiRoutes } from "./api-table.ts";

const FAULT_SCHEMA = {
  type: "object",
  required: ["error"],
  properties: {
    error: {
      type: "object",
      required: ["code", "what", "why", "fix"],
      properties: {
        code: { type: "string" },
        what: { type: "string" },
        why: { type: "string" },
        fix: { type: "array", items: { type: "string" } },
      },
    },
  },
};

type SurfaceInput = Pick<ToolSurface, "inputSchema">;

/** Describes every route of the page's server: `POST /api/<operation>`. */
export async function createOpenApiDocument(version: string, readSurface: (id: OperationId) => Promise<SurfaceInput>) {
  const paths: Record<string, unknown> = {};
  for (const { id, summary, operation, fields } of await listApiRoutes()) {
    const { inputSchema } = await readSurface(id);
    const { workspace: _, ...all } = inputSchema.properties ?? {};
    const properties = Object.fromEntries(Object.entries(all).filter(([name]) => !fields || name in fields));
    const required = inputSchema.required?.filter((name) => name in properties);
    paths[`/api/${id}`] = {
      post: {
        operationId: id,
        summary,
        "x-effect": operation.effect,
        requestBody: {
          content: {
            "application/json": { schema: { type: "object", properties, ...(required?.length ? { required } : {}) } },
          },
        },
        responses: {
          200: { description: "The operation's output, as its command prints it with --json." },
          default: { description: "A fault.", content: { "application/json": { schema: FAULT_SCHEMA } } },
        },
      },
    };
  }
  return { openapi: "3.1.0", info: { title: "Tenon", version }, paths };
}
