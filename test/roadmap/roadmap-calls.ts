import { Fault } from "#kernel/model/fault.ts";
import type { Answer, Stand } from "../workflow/stand.ts";

type Input = Readonly<Record<string, unknown>>;

export const manage = (stand: Stand, action: string, more: Input = {}): Promise<Answer> =>
  stand.run("roadmap.manage", { action, ...more });

/** The code and the words of the fault that a call meets; its answer where it meets none. */
export async function getFault(call: Promise<unknown>): Promise<unknown> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return [error.code, error.message];
  }
}

/** A shop in three waves, told in no order. */
export const SHOP = [
  { name: "cart", description: "Members fill a cart", dependencies: ["shop-model"] },
  { name: "shop-model", description: "The things of a shop" },
  { name: "checkout", description: "Members pay", dependencies: ["cart"] },
];
