import { expect, test } from "vitest";
import { listSupertypes } from "./supertypes.ts";

test.each([
  ["python", "class BadParameter(UsageError)", ["UsageError"]],
  ["python", "class A(errors.Base, Generic[T], metaclass=Meta)", ["Base", "Generic"]],
  ["typescript", "export class Cat<T> extends Animal<T> implements Pet, Named", ["Animal", "Pet", "Named"]],
  ["java", "public final class Parser implements Iterable<Row>, Closeable", ["Iterable", "Closeable"]],
  ["csharp", "public class Store(string name) : Base<int>, IStore", ["Base", "IStore"]],
  ["ruby", "class UsageError < Clamp::RuntimeError", ["RuntimeError"]],
  [
    "php",
    "class UidProcessor implements ProcessorInterface, ResettableInterface",
    ["ProcessorInterface", "ResettableInterface"],
  ],
  ["cpp", "class Dog final : public Animal, private Tagged<int>", ["Animal", "Tagged"]],
  ["go", "type Session struct", []],
  ["python", "class Alone", []],
])("%s: %s names its base types", (language, signature, expected) => {
  expect(listSupertypes(language, signature)).toEqual(expected);
});
