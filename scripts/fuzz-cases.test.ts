import assert from 'node:assert/strict';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';

const root = resolve(import.meta.dirname, '..');

/** Folders that emulate nothing, or something whose responses decide nothing about a member. */
const undecided: Readonly<Record<string, string>> = {
  http: 'what emulators share',
  'http-emulator': 'what emulators share',
  'sample-accounts': 'fixtures',
  'sample-world': 'fixtures',
  'mail-catcher': 'takes mail and answers nothing that is read',
  'walletconnect-relay': 'passes on encrypted messages that the other end signs',
  freshdesk: 'a help desk; no role or payment depends on it',
  'near-chain': 'read through the JSON-RPC that near-rpc emulates, whose answers are fuzzed',
};

test('every emulator whose responses decide something has a fuzz case', () => {
  const folders = readdirSync(join(root, 'packages/emulators/src'), { withFileTypes: true }).filter((one) =>
    one.isDirectory(),
  );
  const names = folders.map(({ name }) => name);
  const texts = globSync('packages/{chains,platforms,integrations}/src/**/*.test.ts', { cwd: root })
    .map((path) => readFileSync(join(root, path), 'utf8'))
    .filter((text) => /\b(fuzzAnswers|refuseMisbehaviour)\b/.test(text));
  const isFuzzed = (name: string) =>
    texts.some((text) => text.includes(`'@latchkey/emulators/${name}'`)) ||
    // The development chain has its own harness.
    (name === 'evm-chain' && texts.some((text) => text.includes('startEvmWorld')));
  assert.deepEqual(
    names.filter((name) => !(name in undecided) && !isFuzzed(name)),
    [],
  );
  assert.deepEqual(
    Object.keys(undecided).filter((name) => !names.includes(name)),
    [],
    'no exception is left over',
  );
});
