import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JsonSchema, typeName, typeText } from './publishable.ts';

test('a schema becomes the type that it describes', () => {
  const types: [JsonSchema, string][] = [
    [{ type: 'integer' }, 'number'],
    [{ type: 'string', enum: ['a', 'b'] }, '"a" | "b"'],
    [{ const: true }, 'true'],
    [{ $ref: '#/components/schemas/Client-App' }, 'Client_App'],
    [{ type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'null' }] } }, '(string | null)[]'],
    [
      { type: 'array', items: { anyOf: [{ type: 'object' }, { type: 'string' }] } },
      '(Record<string, unknown> | string)[]',
    ],
    [{ type: 'array' }, 'unknown[]'],
    [{ type: 'object', additionalProperties: { type: 'number' } }, 'Record<string, number>'],
    [{}, 'unknown'],
    [
      {
        type: 'object',
        properties: { id: { type: 'string', description: 'Ends a */ comment.' }, 'a-b': {} },
        required: ['id'],
      },
      '{\n  /** Ends a *\\/ comment. */\n  "id": string;\n  "a-b"?: unknown;\n}',
    ],
  ];
  for (const [schema, text] of types) assert.equal(typeText(schema), text);
});

test('a schema that has no type is an error of the build, not a wrong type', () => {
  assert.throws(() => typeText({ type: 'color' }), /no type for a schema of type color/);
});

test('the name of a component is one that TypeScript can have', () => {
  assert.deepEqual(['Page<Item>', '2fa', 'Ok_1'].map(typeName), ['Page_Item_', '_2fa', 'Ok_1']);
});
