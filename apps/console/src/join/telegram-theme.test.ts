import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readTelegramTheme } from './telegram-theme.ts';

const dark = {
  bg_color: '#17212b',
  secondary_bg_color: '#232e3c',
  text_color: '#f5f5f5',
  hint_color: '#708499',
  button_color: '#8fd6be',
  button_text_color: '#06251d',
};
const read = (params: object) => readTelegramTheme(JSON.stringify(params));

test('the page takes the colours of the person’s Telegram', () => {
  const theme = read(dark);
  assert.equal(theme?.scheme, 'dark');
  assert.deepEqual(theme?.tokens, {
    '--page': '#232e3c',
    '--card': '#17212b',
    '--field': '#17212b',
    '--text': '#f5f5f5',
    // The hint is too faint for text.
    '--faint': '#f5f5f5',
    '--accent': '#8fd6be',
    '--accent-strong': '#8fd6be',
    '--on-accent': '#06251d',
  });
  assert.equal(read({ bg_color: '#ffffff', text_color: '#000000' })?.scheme, 'light');
});

test('colours that cannot be read stay ours, in the scheme of the person’s Telegram', () => {
  assert.deepEqual(read({ bg_color: '#222222', text_color: '#444444' }), { scheme: 'dark', tokens: {} });
  assert.equal(read({ ...dark, button_text_color: '#99ddcc' })?.tokens['--accent'], undefined);
});

test('what is not a theme changes nothing', () => {
  for (const params of [null, '', 'null', '[]', '{"bg_color":"red","text_color":"url(x)"}', '{"bg_color":1}', '{'])
    assert.equal(readTelegramTheme(params), undefined, String(params));
});
