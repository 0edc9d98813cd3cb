import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fitsUsage } from './check-commands.ts';

const fits = (usage: string, words: string) => fitsUsage(usage, words.split(' '));

test('words match one of the forms of a usage', () => {
  const usage = 'plans <community> | show|undo <plan> | why <community> <user> [--at <time>]';
  for (const words of ['plans DIS#1', 'plans undo p1', 'plans why c u', 'plans why c u --at 2026'])
    assert.ok(fits(usage, words), words);
  for (const words of ['plans', 'plans undo', 'plans why c', 'plans undo p1 p2', 'plan c', 'plans why c u --on 2026'])
    assert.ok(!fits(usage, words), words);
});

test('what is in brackets is optional', () => {
  const usage = 'apps [--status PENDING] | approve|reject <id> [--notes "…"]';
  for (const words of ['apps', 'apps --status LISTED', 'apps reject a', 'apps approve a --notes=b'])
    assert.ok(fits(usage, words), words);
  for (const words of ['apps a', 'apps publish a']) assert.ok(!fits(usage, words), words);
  assert.ok(fits('dev-app [name] [--scopes "…"]', 'dev-app Mine --scopes all'));
  assert.ok(fits('dev-app [name] [--scopes "…"]', 'dev-app'));
  assert.ok(!fits('dev-app [name] [--scopes "…"]', 'dev-app one two'));
});

test('a free word can be next to fixed words', () => {
  const kudos = 'kudos list <user> [received|sent|<kind>] | give <from> <to>';
  for (const words of ['kudos list u', 'kudos list u sent', 'kudos list u helpful', 'kudos give a b'])
    assert.ok(fits(kudos, words), words);
  assert.ok(fits('jobs | dead [--limit 20] | retry <id>|all', 'jobs retry all'));
  assert.ok(fits('registry | registry deploy', 'registry deploy'));
  assert.ok(fits('token ae|bearer --user <id> [--platform discord]', 'token ae --user u'));
  assert.ok(!fits('token ae|bearer --user <id> [--platform discord]', 'token jwt --user u'));
  const either =
    'import <community> --from guild|table (--file <path> | --url <address> --key-file <path>) | apply <import>';
  for (const words of [
    'import c --from guild --file f',
    'import c --from table --url u --key-file f',
    'import apply i',
  ])
    assert.ok(fits(either, words), words);
  for (const words of ['import c d --from guild', 'import c --folder f']) assert.ok(!fits(either, words), words);
});
