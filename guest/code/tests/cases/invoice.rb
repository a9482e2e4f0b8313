# frozen_string_literal: true

require 'json'
require_relative "lib/tax"

# Billing of things.
module Billing
  RATE = 0.19
  NAMES = %w[a end def].freeze

  class Error < StandardError; end

  # An invoice. Has lines.
  class Invoice < Base::Record
    include Comparable
    attr_reader :lines, :total

    # Makes one.
    def initialize(lines, rate: RATE, &block)
      @lines = lines.map do |line|
        line if line.ok?
      end
      @x = if rate then 1 else 2 end
    end

    def self.parse(text)
      case text
      when /end{/ then nil
      else
        text.each { |x| puts "#{x ? 'end' : "}"}" }
      end
    end

    def total=(value)
      @total = value unless value.nil?
    end

    def <=>(other) = total <=> other.total
    def empty? = lines.empty?

    def to_s
      <<~TEXT
        def no
        class No
      TEXT
    end

    class << self
      def build; new([]); end
    end

    private

    def 계산
      while true do break end
      begin
        1
      rescue StandardError => e
        2
      ensure
        3
      end
    end
  end
end

def helper(x) puts x end
