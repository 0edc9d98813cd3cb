import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  anyPlatform,
  chatPlatforms,
  isAble,
  isPlatformName,
  platformNames,
  platformsThatCan,
} from './chat-platforms.ts';

describe('the table of chat platforms', () => {
  test('prefixes and titles are unique, and a prefix is safe in a pattern', () => {
    const rows = platformNames.map((name) => chatPlatforms[name]);
    assert.equal(new Set(rows.map(({ prefix }) => prefix)).size, rows.length);
    assert.equal(new Set(rows.map(({ title }) => title)).size, rows.length);
    for (const { prefix } of rows) assert.match(prefix, /^[A-Z]{3}$/);
  });

  test('prefixes that are stored never change', () => {
    assert.deepEqual(
      platformNames.slice(0, 4).map((name) => [name, chatPlatforms[name].prefix]),
      [
        ['discord', 'DIS'],
        ['telegram', 'TEL'],
        ['reddit', 'RED'],
        ['matrix', 'MTX'],
      ],
    );
  });

  test('only names in the table are platform names', () => {
    assert.ok(platformNames.every(isPlatformName));
    for (const name of ['ethereum', 'Discord', '', 'toString', '__proto__']) assert.equal(isPlatformName(name), false);
  });

  test('abilities are looked up by platform and by ability', () => {
    assert.ok(isAble('discord', 'guestPasses') && !isAble('reddit', 'guestPasses'));
    assert.deepEqual(platformsThatCan('commands'), ['discord', 'telegram', 'matrix']);
  });

  test('a sentence lists all of them', () => {
    assert.equal(anyPlatform, 'Discord, Telegram, Reddit or Matrix');
  });
});
