# Tenon's plugin for minitest: writes the tests of every run to TENON_REPORT, as minitest does with --verbose. Rake tasks
# that ignore TESTOPTS and other reporters do not change that.
require "minitest"

module Minitest
  module TenonReport
    SIGNS = %w[. F E S].freeze

    def record(result)
      super
      (@tenon ||= []) << result
    end

    def report
      super
      return if @tenon.nil? || !ENV["TENON_REPORT"]
      File.open(ENV["TENON_REPORT"], "a") { |file| file.write(tenon_lines.join("\n") + "\n") }
      @tenon = []
    end

    private

    def tenon_lines
      lines = @tenon.map { |one| format("%s = %.2f s = %s", tenon_name(one), one.time.to_f, one.result_code) }
      bad = @tenon.flat_map { |one| one.failures.map { |failure| [one, failure] } }
      bad.reject { |_, failure| failure.is_a?(Skip) }.each_with_index do |(one, failure), at|
        lines.push("", "  #{at + 1}) #{failure.result_label}:", "#{tenon_name(one)}:", failure.message, "")
      end
      count = SIGNS.to_h { |sign| [sign, @tenon.count { |one| one.result_code == sign }] }
      assertions = @tenon.sum(&:assertions)
      lines << "#{@tenon.size} runs, #{assertions} assertions, #{count["F"]} failures, #{count["E"]} errors, #{count["S"]} skips"
    end

    def tenon_name(result)
      "#{result.respond_to?(:klass) ? result.klass : result.class}##{result.name}"
    end
  end

  CompositeReporter.prepend(TenonReport)
end
