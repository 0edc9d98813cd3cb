import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSource } from './source.ts';
import type { Terminal } from './terminal.ts';

const commit = 'a'.repeat(40);
const nothing = () => undefined;

function terminal(environment: Record<string, string>, git?: Record<string, string>): Terminal {
  const base = { folder: '/', environment, print: nothing, printError: nothing, showProgress: nothing };
  return {
    ...base,
    wait: () => Promise.resolve(),
    ...(git !== undefined && { git: async (args: readonly string[]) => git[args.join(' ')] }),
  };
}

test('the source of a file is what continuous integration says of it', async () => {
  const file = 'rules/latchkey.yaml';
  const github = {
    GITHUB_SERVER_URL: 'https://github.example',
    GITHUB_REPOSITORY: 'cats/rules',
    GITHUB_SHA: commit,
  };
  const repository = 'https://github.example/cats/rules';
  assert.deepEqual(await readSource(terminal(github), { file }), { file, repository, commit });
  const gitlab = { CI_PROJECT_URL: 'https://gitlab.example/cats', CI_COMMIT_SHA: commit };
  assert.deepEqual(await readSource(terminal(gitlab), { file }), {
    file,
    repository: 'https://gitlab.example/cats',
    commit,
  });
});

test('otherwise git says it, without credentials, and without the commit of a file that was changed since', async () => {
  const file = 'latchkey.yaml';
  const answers = {
    'status --porcelain -- latchkey.yaml': '',
    'remote get-url origin': 'https://ci:secret@git.example/cats.git',
    'rev-parse HEAD': commit,
  };
  const repository = 'https://git.example/cats.git';
  assert.deepEqual(await readSource(terminal({}, answers), { file }), { file, repository, commit });
  const changed = { ...answers, 'status --porcelain -- latchkey.yaml': ' M latchkey.yaml' };
  assert.deepEqual(await readSource(terminal({}, changed), { file }), { file, repository });
  assert.deepEqual(await readSource(terminal({}, {}), { file: '/home/me/latchkey.yaml' }), { file: 'latchkey.yaml' });
  assert.deepEqual(await readSource(terminal({}), { file }), { file });
});
