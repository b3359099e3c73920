import { joinWithAnd } from "#kernel/model/text-format.ts";
import { expect, test } from "vitest";
import { describeRoute } from "#planning/model/adopt/requirements-draft.ts";
import { splitEntityName, toPlural, createEntityKey, toSingular } from "./entity-names.ts";

test.each([
  ["orders", "order"],
  ["categories", "category"],
  ["addresses", "address"],
  ["boxes", "box"],
  ["status", "status"],
  ["news", "news"],
  ["bus", "bus"],
  ["address", "address"],
])("one of %s is %s", (many, one) => {
  expect(toSingular(many)).toBe(one);
});

test.each([
  ["order", "orders"],
  ["category", "categories"],
  ["day", "days"],
  ["box", "boxes"],
  ["orders", "orders"],
])("many of %s are %s", (one, many) => {
  expect(toPlural(one)).toBe(many);
});

test.each(["order_items", "OrderItem", "orderItems", "order-item"])(
  "treats %s as one entity, however it is spelled",
  (name) => {
    expect([splitEntityName(name), createEntityKey(name)]).toEqual(["order item", "orderitem"]);
  },
);

test.each([
  [[], ""],
  [["a"], "a"],
  [["a", "b", "c"], "a, b and c"],
])("lists %s as %j", (items, text) => {
  expect(joinWithAnd(items)).toBe(text);
});

test.each([
  ["GET /api/v2/orders", "list the orders"],
  ["GET /orders/:id", "return one order"],
  ["POST /order-items", "create one order item"],
  ["PUT /orders/{id}", "replace one order"],
  ["PATCH /orders/<id>", "change one order"],
  ["DELETE /orders/[id]", "delete one order"],
  ["GET /users/:id/orders", "list the orders of one user"],
  ["POST /orders/:id/cancel", "cancel one order"],
  ["GET /health", undefined],
  ["POST /login", undefined],
  ["GET /", undefined],
  ["ANY /orders", undefined],
  ["GET /:slug", undefined],
])("links %s to %s", (route, words) => {
  expect(describeRoute(route)).toBe(words);
});
