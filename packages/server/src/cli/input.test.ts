import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { asJsonSchema } from '../../test/harness/json-schema.ts';
import { endlessParts, overstepsOf } from '../../test/harness/overstep.ts';
import { UsageError } from './command.ts';
import { commands } from './commands.ts';
import { checkInput, inputSchemaOf, type OptionName, optionSchemas, type TakesInput } from './input.ts';
import { invocations, shortWords } from './invocations.ts';

type Given = Parameters<typeof checkInput>[2];

const entrances: [name: string, takes: TakesInput][] = [
  ...Object.entries(commands),
  ...[...invocations, ...shortWords].map((way): [string, TakesInput] => [way.usage.split(' ', 1)[0] ?? '', way]),
];

describe('what follows a command', () => {
  for (const [name, takes] of entrances) {
    test(`${name} takes its options, and refuses others and whatever is longer than declared`, () => {
      const schema = asJsonSchema(inputSchemaOf(takes));
      assert.deepEqual(endlessParts(schema), []);
      const base: Given = { words: [], options: Object.fromEntries(takes.options.map((option) => [option, 'x'])) };
      assert.doesNotThrow(() => checkInput(name, takes, base));
      const oversteps = overstepsOf(schema, base);
      assert.equal(oversteps.length, takes.options.length + 1);
      for (const { path, value } of oversteps)
        assert.throws(() => checkInput(name, takes, value as Given), UsageError, `${name} ${path}`);
      const foreign = (Object.keys(optionSchemas) as OptionName[]).find((option) => !takes.options.includes(option));
      const message = new RegExp(`^${name} does not take --${foreign}\\.`);
      assert.throws(() => checkInput(name, takes, { words: [], options: { [foreign ?? '']: 'x' } }), { message });
    });
  }

  test('every word may be as long as a path, and no longer', () => {
    const [name, takes] = ['backup', { words: 1, options: [] }] as const;
    assert.doesNotThrow(() => checkInput(name, takes, { words: ['x'.repeat(4096)], options: {} }));
    assert.throws(() => checkInput(name, takes, { words: ['x'.repeat(4097)], options: {} }), UsageError);
  });

  test('the usage of a command names only options that it takes', () => {
    for (const [name, { usage, options }] of Object.entries(commands)) {
      const named = [...usage.matchAll(/--([\w-]+)/g)].map(([, option]) => option);
      assert.deepEqual(
        named.filter((option) => !options.includes(option as OptionName)),
        [],
        name,
      );
    }
  });
});
