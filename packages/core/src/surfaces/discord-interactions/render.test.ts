import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shownText } from '@latchkey/emulators/discord';
import { seededRandom } from '../../testing/index.ts';
import { mostCharacters, mostComponents, type Part, renderMessage } from './render.ts';
import { button } from './responses.ts';

test('an answer is components alone, and pings no one', () => {
  assert.deepEqual(renderMessage([{ text: 'Done.' }], { isPrivate: true }), {
    flags: 64 | 32_768,
    components: [{ type: 10, content: 'Done.' }],
    allowed_mentions: { parse: [] },
  });
});

test('each part has its buttons at it, and the link is the last line', () => {
  const parts = [
    { text: 'One', buttons: [button('Show', 'a'), button('Undo', 'b')] },
    { text: 'Two', beside: button('Revoke', 'c') },
  ];
  const { components } = renderMessage(parts, { footer: 'Console: https://example.com' });
  assert.deepEqual(components, [
    {
      type: 17,
      components: [
        { type: 10, content: 'One' },
        {
          type: 1,
          components: [
            { type: 2, style: 1, label: 'Show', custom_id: 'a' },
            { type: 2, style: 1, label: 'Undo', custom_id: 'b' },
          ],
        },
        {
          type: 9,
          components: [{ type: 10, content: 'Two' }],
          accessory: { type: 2, style: 1, label: 'Revoke', custom_id: 'c' },
        },
        { type: 14 },
        { type: 10, content: 'Console: https://example.com' },
      ],
    },
  ]);
});

test('whatever it says fits the limits of Discord, keeps the link, and cuts no character in two', () => {
  const random = seededRandom('rendered answers');
  const draw = (most: number) => Buffer.from(random.bytes(2)).readUInt16BE() % most;
  let [cut, joined] = [0, 0];
  for (let round = 0; round < 300; round += 1) {
    const parts = Array.from({ length: 1 + draw(30) }, (_, part): Part => {
      const text = `${part} ${'🐈x'.repeat(draw(draw(4) === 0 ? 2_000 : 40))}`;
      if (draw(3) === 0) return { text, beside: button('x', `${part}`) };
      return { text, buttons: Array.from({ length: draw(8) }, (_, at) => button('🐈'.repeat(60), `${part}:${at}`)) };
    });
    const message = renderMessage(parts, { footer: 'Console: https://example.com' });
    const text = shownText(message);
    const all = countAll(message.components);
    assert.ok(all <= mostComponents, `${all} components`);
    assert.ok(text.replaceAll('\n', '').length <= mostCharacters);
    // JSON spells half of a character as an escape.
    assert.doesNotMatch(JSON.stringify(message), /\\ud[89a-f]/);
    assert.match(text, /\nConsole: https:\/\/example\.com$/);
    assert.ok(text.startsWith('0 '));
    if (text.includes('…')) cut += 1;
    if (all > mostComponents - 8) joined += 1;
  }
  assert.ok(cut > 10 && joined > 10, `${cut} were cut and ${joined} were nearly full`);
});

function countAll(components: unknown): number {
  if (!Array.isArray(components)) return 0;
  return components.reduce(
    (sum: number, one) => sum + 1 + countAll(one.components) + (one.accessory === undefined ? 0 : 1),
    0,
  );
}
