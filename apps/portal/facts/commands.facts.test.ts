import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { commands } from '@latchkey/server/facts';
import { portalFolder } from '../config/folders.ts';
import { formsOf } from './commands.facts.ts';

const page = readFileSync(join(portalFolder, 'operators/commands.md'), 'utf8');

describe('the page of commands', () => {
  test('has a section for every command, and for nothing else', () => {
    const parts = page
      .split(/^##+ /m)
      .slice(1)
      .map((part) => [part.split('\n')[0], /<Facts of="commands\/(.+)" \/>/.exec(part)?.[1]]);
    assert.deepEqual(
      parts.filter(([, fact]) => fact !== undefined && fact !== 'run').sort(),
      Object.keys(commands)
        .sort()
        .map((name) => [name, name]),
    );
  });

  test('shows each form of a command with the name in front', () => {
    assert.deepEqual(formsOf('jobs | dead [--limit 20] | retry <id>|all'), [
      'jobs',
      'jobs dead [--limit 20]',
      'jobs retry <id>|all',
    ]);
    assert.deepEqual(formsOf('import <community> (--file <path> | --url <address>) | apply <community>'), [
      'import <community> (--file <path> | --url <address>)',
      'import apply <community>',
    ]);
    assert.deepEqual(formsOf('communities check-period <id> [<hours> | default] [--reason "…"]').length, 1);
    assert.deepEqual(formsOf('registry | registry deploy'), ['registry', 'registry deploy']);
  });
});
