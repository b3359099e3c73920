import { expect, test } from "vitest";
import { findTestCases } from "#code/model/scan/test-cases.ts";
import { lookAt } from "./code-scans.ts";

/** Each as `line-lastLine:name` with its mark. */
async function cases(path: string, text: string): Promise<string[]> {
  return findTestCases(await lookAt(path, text)).map(
    ({ name, line, lastLine, mark }) => `${line}-${lastLine}:${name}${mark === undefined ? "" : ` (${mark})`}`,
  );
}

test.each([
  ["class ATest {\n  @Test\n  void adds() {\n  }\n  void helps() {}\n}\n", ["2-4:ATest > adds"]],
  [
    'class ATest {\n  @ParameterizedTest @ValueSource(ints = {1})\n  void adds(int a) {}\n  @Test @DisplayName("x") public void b() {}\n  @org.junit.Test public void c() {}\n}\n',
    ["2-3:ATest > adds", "4-4:ATest > b", "5-5:ATest > c"],
  ],
  [
    'class ATest {\n  @Disabled("no") @Test void a() {}\n  @Ignore @Test public void b() {}\n  @Test(enabled = false) public void c() {}\n}\n',
    ["2-2:ATest > a (skipped)", "3-3:ATest > b (skipped)", "4-4:ATest > c (skipped)"],
  ],
  ["@Disabled class ATest {\n  @Nested class B {\n    @Test void a() {}\n  }\n}\n", ["3-3:ATest > B > a (skipped)"]],
  ['class A {\n  // @Test\n  void a() { String s = "@Test"; }\n  @TestOnly void b() {}\n}\n', []],
])("JUnit: %j", async (text, expected) => {
  expect(await cases("ATest.java", text)).toEqual(expected);
});

test.each([
  [
    "public class ATests {\n  [Fact]\n  public void Adds() {}\n  [Theory, InlineData(1)] public void B(int a) {}\n  [Xunit.FactAttribute] public async Task C() => await D();\n  public void Helps() {}\n}\n",
    ["2-3:ATests > Adds", "4-4:ATests > B", "5-5:ATests > C"],
  ],
  [
    'namespace N;\n[TestFixture] class ATests {\n  [Test] public void A() {}\n  [TestCase(1)]\n  [TestCase(2)] public void B(int a) {}\n  [Ignore("x")] [Test] public void C() {}\n}\n',
    ["3-3:ATests > A", "4-5:ATests > B", "6-6:ATests > C (skipped)"],
  ],
  [
    '[TestClass] class A {\n  [TestMethod] public void B() {}\n  [Fact(Skip = "no")] public void C() {}\n}\n',
    ["2-2:A > B", "3-3:A > C (skipped)"],
  ],
  ["class A {\n  [Serializable] void B() {}\n  // [Fact]\n  void C() {}\n  [TestContext] void D() {}\n}\n", []],
])("C#: %j", async (text, expected) => {
  expect(await cases("ATests.cs", text)).toEqual(expected);
});

test.each([
  [
    'RSpec.describe Shop do\n  describe "#total" do\n    it "adds" do\n    end\n    it("too") { ok }\n  end\n  context \'when empty\' do\n    specify "is 0" do; end\n  end\nend\n',
    ["3-4:Shop > #total > adds", "5-5:Shop > #total > too", "8-8:Shop > when empty > is 0"],
  ],
  [
    'describe "a" do\n  xit "b" do; end\n  fit "c" do; end\n  it "d" do\n    skip "later"\n  end\n  it "e" do\n    skip "x" if windows\n  end\nend\nxdescribe "z" do\n  it "y" do; end\nend\n',
    ["2-2:a > b (skipped)", "3-3:a > c (only)", "4-6:a > d (skipped)", "7-9:a > e", "12-12:z > y (skipped)"],
  ],
  [
    'class ShopTest < Minitest::Test\n  def test_adds\n  end\n  def helps; end\n  test "more words" do\n  end\nend\nclass Shop\n  def test_run; end\nend\n',
    ["2-3:ShopTest > test_adds", "5-6:ShopTest > more words"],
  ],
  ['# it "a" do\nx = \'it "b"\'\nit\nfoo.it "c"\n', []],
])("Ruby: %j", async (text, expected) => {
  expect(await cases("a_spec.rb", text)).toEqual(expected);
});

test.each([
  [
    "<?php\nfinal class ATest extends TestCase {\n  public function testAdds(): void {}\n  #[Test]\n  public function adds(): void {}\n  /** @test */\n  public function more() {}\n  public function helps() {}\n}\n",
    ["3-3:ATest > testAdds", "4-5:ATest > adds", "7-7:ATest > more"],
  ],
  [
    "<?php\nclass ATest {\n  function testA() { $this->markTestSkipped('x'); }\n  function testB() { if ($c) { self::markTestSkipped('x'); } }\n}\nclass Shop { function testRun() {} }\n",
    ["3-3:ATest > testA (skipped)", "4-4:ATest > testB"],
  ],
  [
    "<?php\nit('adds', function () {\n});\ndescribe('s', function () {\n  test('b', fn () => 1)->skip();\n});\nit('c', fn () => 1)->only();\n",
    ["2-3:adds", "5-5:s > b (skipped)", "7-7:c (only)"],
  ],
])("PHP: %j", async (text, expected) => {
  expect(await cases("ATest.php", text)).toEqual(expected);
});

test.each([
  [
    "TEST(Shop, Adds) {\n  EXPECT_EQ(1, 1);\n}\nTEST_F(ShopTest, DISABLED_Removes) {}\nTEST_P(A, B) { GTEST_SKIP(); }\nint helper() { return 1; }\n",
    ["1-3:Shop.Adds", "4-4:ShopTest.DISABLED_Removes (skipped)", "5-5:A.B (skipped)"],
  ],
  [
    'TEST_CASE("adds things", "[shop]") {\n  SECTION("when empty") {\n    REQUIRE(true);\n  }\n}\nBOOST_AUTO_TEST_CASE(plain) {}\n',
    ["1-5:adds things", "2-4:adds things > when empty", "6-6:plain"],
  ],
  ['// TEST(A, B) {}\nconst char *s = "TEST(A, B) {}";\nvoid TESTS(int a) {}\n', []],
])("C++: %j", async (text, expected) => {
  expect(await cases("a_test.cc", text)).toEqual(expected);
});

test("C: finds functions by their name", async () => {
  expect(
    await cases("test_a.c", "static void test_adds(void) {\n}\nint *test_more(int a) { return 0; }\nint a;\n"),
  ).toEqual(["1-2:test_adds", "3-3:test_more"]);
});
