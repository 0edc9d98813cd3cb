import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callsOfScreens } from '@latchkey/console/testing/screen-calls';
import { resources } from '@latchkey/core';
import type { Resource } from '@latchkey/kernel';
import { commands } from './commands.ts';
import { type OnPages, onPages } from './on-pages.ts';

/** The verbs of a usage line: `jobs | dead [--limit 20] | retry <id>|all` has '', dead and retry. */
function verbsOf(name: string, usage: string): string[] {
  const ways = usage.split(' | ').map((way, index) => (index === 0 ? way.slice(name.length).trim() : way));
  return ways.flatMap((way) => {
    const [first = ''] = way.replace(new RegExp(`^${name} `), '').split(' ');
    return /^[a-z][-a-z|]*$/.test(first) ? first.split('|') : [''];
  });
}

const entries = Object.entries(onPages).flatMap(([name, verbs]) =>
  Object.entries(verbs).map(([verb, place]): [string, OnPages] => [`${name} ${verb}`.trim(), place]),
);

test('every command and verb names the equivalent screen, or why it is shell-only', () => {
  assert.deepEqual(Object.keys(onPages).sort(), Object.keys(commands).sort());
  for (const [name, { usage }] of Object.entries(commands)) {
    const known = Object.keys(onPages[name] ?? {});
    const missing = verbsOf(name, usage).filter((verb) => !known.includes(verb) && !(verb === '' && known.length > 0));
    assert.deepEqual(missing, [], `${name}: ${usage}`);
    const invented = known.filter((verb) => verb !== '' && !new RegExp(`\\b${verb}\\b`).test(usage));
    assert.deepEqual(invented, [], `${name}: ${usage}`);
  }
});

test('every operation behind such a screen is served', () => {
  const routes = new Set<string>(
    (resources as readonly Resource[]).flatMap(({ operations }) => operations.map(({ route }) => route)),
  );
  const missing = entries.filter(([, place]) => 'operation' in place && !routes.has(place.operation));
  assert.deepEqual(missing, []);
});

test('every such screen calls the operation that does it', () => {
  const named = entries.filter(([, place]) => 'screen' in place);
  assert.ok(named.length > 40);
  const idle = named.filter(
    ([, place]) => 'screen' in place && callsOfScreens.get(place.screen)?.has(place.operation) !== true,
  );
  assert.deepEqual(idle, []);
});

test('a shell-only command says why', () => {
  for (const [name, place] of entries) if ('shellOnly' in place) assert.match(place.shellOnly, /^[A-Z].{20,}\.$/, name);
});
