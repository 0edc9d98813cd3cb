import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { asJsonSchema } from '../../test/harness/json-schema.ts';
import { endlessParts, overstepsOf } from '../../test/harness/overstep.ts';
import type { TakesInput } from './command.ts';
import { UsageError } from './command.ts';
import { commands } from './commands.ts';
import { describeInput, inputSchemaOf, option, parseInput } from './input.ts';
import { invocations, shortWords } from './invocations.ts';

interface Given {
  words: readonly string[];
  options: Readonly<Record<string, string>>;
}

const argsOf = ({ words, options }: Given) => [
  ...words,
  ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]),
];

const entrances: [name: string, takes: TakesInput][] = [
  ...Object.entries(commands),
  ...[...invocations, ...shortWords].map((way): [string, TakesInput] => [way.usage.split(' ', 1)[0] ?? '', way]),
];

describe('command arguments', () => {
  for (const [name, takes] of entrances) {
    test(`${name} accepts its options, and refuses others and oversized values`, () => {
      const schema = asJsonSchema(inputSchemaOf(takes));
      assert.deepEqual(endlessParts(schema), []);
      const base: Given = {
        words: [],
        options: Object.fromEntries(Object.keys(takes.options).map((name) => [name, 'x'])),
      };
      assert.deepEqual(parseInput(name, takes, argsOf(base)), { ...base, flags: [] });
      const oversteps = overstepsOf(schema, base);
      assert.equal(oversteps.length, Object.keys(takes.options).length + 1);
      for (const { path, value } of oversteps)
        assert.throws(() => parseInput(name, takes, argsOf(value as Given)), UsageError, `${name} ${path}`);
      const message = `${name} does not take --foreign.`;
      assert.throws(() => parseInput(name, takes, ['--foreign', 'x']), { message });
    });
  }

  test('every argument may be as long as a path, and no longer', () => {
    const [name, takes] = ['backup', { words: 1, options: {} }] as const;
    assert.doesNotThrow(() => parseInput(name, takes, ['x'.repeat(4096)]));
    assert.throws(() => parseInput(name, takes, ['x'.repeat(4097)]), UsageError);
  });

  test('the usage of a command names only options that it takes', () => {
    for (const { usage, options, flags = [] } of [...invocations, ...Object.values(commands)]) {
      const named = [...usage.matchAll(/--([\w-]+)/g)].map(([, name = '']) => name);
      assert.deepEqual(
        named.filter((name) => !Object.hasOwn(options, name) && !flags.includes(name)),
        [],
        usage,
      );
    }
  });

  test('an option without a value is a flag, and help lists the options of one command', () => {
    const takes = { usage: 'sample [--dry-run]', meaning: 'do something', words: 0, options: { limit: option.limit } };
    assert.deepEqual(parseInput('sample', { ...takes, flags: ['dry-run'] }, ['--dry-run']).flags, ['dry-run']);
    assert.throws(() => parseInput('sample', takes, ['--limit']), UsageError);
    assert.equal(
      describeInput(takes),
      'Usage: latchkey sample [--dry-run]\n\nDo something.\n\nOptions:\n  --limit  How many.',
    );
  });
});
