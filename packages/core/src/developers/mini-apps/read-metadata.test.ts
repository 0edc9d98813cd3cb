import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readMetadata } from './probe.ts';

const own = { appId: 'greeter', developer: 'DIS#USER#1', name: 'Greeter' };
const withPattern = (word: string) => ({
  manifest: { appId: 'greeter', developer: 'me', appType: 'action', name: 'Greeter', shortName: 'greeter' },
  applicationCommands: [],
  supportedInteractions: [{ type: 3, ids: [word] }],
});

describe('the interactions that a mini-app requests', () => {
  for (const word of ['greet', 'greet:*', 'lantern*', 'latchkeys'])
    it(`may be ${word}`, () => assert.doesNotThrow(() => readMetadata(withPattern(word), own)));

  for (const word of ['*', '**', 'l*', 'latchkey', 'latchkey*', 'latchkey:plans'])
    it(`may not be ${word}, which would shadow other apps`, () =>
      assert.throws(() => readMetadata(withPattern(word), own), /belong to this server or to other apps/));
});
