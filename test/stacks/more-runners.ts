/** Small projects, one for each runner that has no fixture of its own: a class with a method, and its tests. */
type Files = Readonly<Record<string, string>>;

export interface RunnerProject {
  /** Programs that must be installed. */
  readonly needs: readonly string[];
  readonly profile: string;
  readonly tool: string;
  /** What sets it apart from another project with the same tool. */
  readonly variant?: string;
  readonly files: Files;
  /** The one test that is there, as the runner reports it. */
  readonly known: string;
  /** A new test that needs a method that does not exist yet, and the code with it. */
  readonly test: Files;
  readonly code: Files;
  readonly name: readonly [file: string, name: string];
  /** A test that fails on an assertion, with the code of the start. */
  readonly asserting: Files;
  /** A test that passes before any work. */
  readonly lying: Files;
}

const JAVA = (body = ""): string => `package app;

public class User {
    private final String name;

    public User(String name) {
        this.name = name;
    }

    public String initials() {
        StringBuilder letters = new StringBuilder();
        for (String part : name.split(" ")) {
            letters.append(part.charAt(0));
        }
        return letters.toString();
    }
${body}}
`;
const JAVA_TEST = (name: string, method: string, expected: string, call: string): string => `package app;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class ${name} {
    // @spec ACC-002
    @Test
    public void ${method}() {
        assertEquals("${expected}", new User("Ada Lovelace").${call}());
    }
}
`;

const JAVA_PROJECT: Omit<RunnerProject, "needs" | "profile" | "tool"> = {
  files: {
    "src/main/java/app/User.java": JAVA(),
    "src/test/java/app/UserTest.java": JAVA_TEST("UserTest", "hasInitials", "AL", "initials"),
  },
  known: "app.UserTest: UserTest > hasInitials",
  test: {
    "src/test/java/app/GreetingTest.java": JAVA_TEST("GreetingTest", "greets", "Hello, Ada Lovelace", "greeting"),
  },
  code: {
    "src/main/java/app/User.java": JAVA(`
    /** @spec ACC-002 */
    public String greeting() {
        return "Hello, " + name;
    }
`),
  },
  name: ["src/test/java/app/GreetingTest.java", "GreetingTest > greets"],
  asserting: { "src/test/java/app/DotsTest.java": JAVA_TEST("DotsTest", "putsDots", "A.L.", "initials") },
  lying: { "src/test/java/app/SameTest.java": JAVA_TEST("SameTest", "isSame", "AL", "initials") },
};

const RUBY = (body = ""): string => `class User
  def initialize(name)
    @name = name
  end

  def initials
    @name.split.map { |part| part[0] }.join
  end
${body}end
`;
const GREETING_RB = '\n  # @spec ACC-002\n  def greeting\n    "Hello, #{@name}"\n  end\n';
const SPEC = (name: string, expected: string, call: string): string => `require "user"

RSpec.describe User do
  describe "#${call}" do
    # @spec ACC-002
    it "${name}" do
      expect(User.new("Ada Lovelace").${call}).to eq("${expected}")
    end
  end
end
`;
const MINITEST = (suite: string, name: string, expected: string, call: string): string => `require "minitest/autorun"
require "user"

class ${suite} < Minitest::Test
  # @spec ACC-002
  def test_${name}
    assert_equal "${expected}", User.new("Ada Lovelace").${call}
  end
end
`;
const RAKEFILE = `require "rake/testtask"

Rake::TestTask.new(:test) do |task|
  task.test_files = FileList["test/**/*_test.rb"]
end
`;

/** As older projects do: a task that loads the tests itself and knows nothing of TESTOPTS. */
const OWN_TASK = `task :test do
  $LOAD_PATH.unshift "lib"
  Dir["test/**/*_test.rb"].each { |file| require "./#{file}" }
end
`;

const PHP = (body = ""): string => `<?php

namespace App;

final class User
{
    public function __construct(private string $name)
    {
    }

    public function initials(): string
    {
        return implode('', array_map(fn (string $part) => $part[0], explode(' ', $this->name)));
    }
${body}}
`;
const PHP_TEST = (suite: string, name: string, expected: string, call: string): string => `<?php

namespace App\\Tests;

use App\\User;
use PHPUnit\\Framework\\TestCase;

final class ${suite} extends TestCase
{
    // @spec ACC-002
    public function test${name}(): void
    {
        $this->assertSame('${expected}', (new User('Ada Lovelace'))->${call}());
    }
}
`;

export const RUNNER_PROJECTS: readonly RunnerProject[] = [
  {
    ...JAVA_PROJECT,
    needs: ["javac", "mvn"],
    profile: "java-maven",
    tool: "maven",
    files: {
      ...JAVA_PROJECT.files,
      ".gitignore": "target/\n",
      "pom.xml": `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>app</groupId>
  <artifactId>accounts</artifactId>
  <version>1.0.0</version>
  <properties>
    <maven.compiler.source>11</maven.compiler.source>
    <maven.compiler.target>11</maven.compiler.target>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies>
    <dependency>
      <groupId>junit</groupId>
      <artifactId>junit</artifactId>
      <version>4.13.2</version>
      <scope>test</scope>
    </dependency>
  </dependencies>
</project>
`,
    },
  },
  {
    ...JAVA_PROJECT,
    needs: ["javac", "gradle"],
    profile: "java-gradle",
    tool: "gradle",
    files: {
      ...JAVA_PROJECT.files,
      ".gitignore": "build/\n.gradle/\n",
      "build.gradle": `apply plugin: 'java'

repositories {
    mavenCentral()
}

def scope = configurations.findByName('testImplementation') ? 'testImplementation' : 'testCompile'
dependencies.add(scope, 'junit:junit:4.13.2')
`,
    },
  },
  {
    needs: ["rspec"],
    profile: "ruby",
    tool: "rspec",
    files: {
      Rakefile: "",
      ".rspec": "-I lib\n",
      "lib/user.rb": RUBY(),
      "spec/user_spec.rb": SPEC("takes first letters", "AL", "initials"),
    },
    known: "spec/user_spec.rb: User#initials takes first letters",
    test: { "spec/greeting_spec.rb": SPEC("greets", "Hello, Ada Lovelace", "greeting") },
    code: { "lib/user.rb": RUBY(GREETING_RB) },
    name: ["spec/greeting_spec.rb", "User > #greeting > greets"],
    asserting: { "spec/dots_spec.rb": SPEC("puts dots", "A.L.", "initials") },
    lying: { "spec/same_spec.rb": SPEC("stays the same", "AL", "initials") },
  },
  {
    needs: ["rake", "ruby"],
    profile: "ruby",
    tool: "minitest",
    files: {
      Rakefile: RAKEFILE,
      "lib/user.rb": RUBY(),
      "test/user_test.rb": MINITEST("UserTest", "initials", "AL", "initials"),
    },
    known: "UserTest: UserTest > test_initials",
    test: { "test/greeting_test.rb": MINITEST("GreetingTest", "greets", "Hello, Ada Lovelace", "greeting") },
    code: { "lib/user.rb": RUBY(GREETING_RB) },
    name: ["test/greeting_test.rb", "GreetingTest > test_greets"],
    asserting: { "test/dots_test.rb": MINITEST("DotsTest", "puts_dots", "A.L.", "initials") },
    lying: { "test/same_test.rb": MINITEST("SameTest", "same", "AL", "initials") },
  },
  {
    needs: ["rake", "ruby"],
    profile: "ruby",
    tool: "minitest",
    variant: "a Rake task of its own",
    files: {
      Rakefile: OWN_TASK,
      "lib/user.rb": RUBY(),
      "test/user_test.rb": MINITEST("UserTest", "initials", "AL", "initials"),
    },
    known: "UserTest: UserTest > test_initials",
    test: { "test/greeting_test.rb": MINITEST("GreetingTest", "greets", "Hello, Ada Lovelace", "greeting") },
    code: { "lib/user.rb": RUBY(GREETING_RB) },
    name: ["test/greeting_test.rb", "GreetingTest > test_greets"],
    asserting: { "test/dots_test.rb": MINITEST("DotsTest", "puts_dots", "A.L.", "initials") },
    lying: { "test/same_test.rb": MINITEST("SameTest", "same", "AL", "initials") },
  },
  {
    needs: ["phpunit"],
    profile: "php",
    tool: "phpunit",
    files: {
      "composer.json":
        '{ "autoload": { "psr-4": { "App\\\\": "src/" } }, "require-dev": { "phpunit/phpunit": "*" } }\n',
      "phpunit.xml":
        '<phpunit bootstrap="bootstrap.php"><testsuites><testsuite name="all"><directory>tests</directory></testsuite></testsuites></phpunit>\n',
      ".gitignore": ".phpunit.result.cache\n.phpunit.cache/\n",
      "bootstrap.php": "<?php\n\nrequire __DIR__ . '/src/User.php';\n",
      "src/User.php": PHP(),
      "tests/UserTest.php": PHP_TEST("UserTest", "Initials", "AL", "initials"),
    },
    known: "tests/UserTest.php: UserTest > testInitials",
    test: { "tests/GreetingTest.php": PHP_TEST("GreetingTest", "Greets", "Hello, Ada Lovelace", "greeting") },
    code: {
      "src/User.php": PHP(`
    /** @spec ACC-002 */
    public function greeting(): string
    {
        return "Hello, {$this->name}";
    }
`),
    },
    name: ["tests/GreetingTest.php", "GreetingTest > testGreets"],
    asserting: { "tests/DotsTest.php": PHP_TEST("DotsTest", "PutsDots", "A.L.", "initials") },
    lying: { "tests/SameTest.php": PHP_TEST("SameTest", "Same", "AL", "initials") },
  },
];
