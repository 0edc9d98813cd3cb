import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { format } from './commands/fmt.ts';
import { BadFiles, runRules } from './index.ts';
import type { Terminal } from './terminal.ts';

const sample = new URL('../../../samples/rules/latchkey.yaml', import.meta.url);
const address = `0x${'1'.repeat(40)}`;
const noServer = () => assert.fail('this command needs no server');

describe('the commands that need no server', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'latchkey-cli-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  async function run(words: readonly string[], options: Record<string, string | boolean> = {}, environment = {}) {
    const printed: string[] = [];
    const print = (text: string) => void printed.push(text);
    const terminal: Terminal = {
      folder,
      environment,
      print,
      printError: print,
      showProgress: print,
      wait: async () => {},
    };
    const code = await runRules(terminal, noServer, words, options);
    return { code, text: printed.join('\n') };
  }
  const write = (name: string, text: string) => writeFile(join(folder, name), text);
  const refusal = async (words: readonly string[], options: Record<string, string | boolean> = {}) => {
    const error = await run(words, options).then(
      () => assert.fail('it was not refused'),
      (found: unknown) => found,
    );
    assert.ok(error instanceof BadFiles, String(error));
    return error.message;
  };
  const withRule = (rule: string, rest = '') =>
    `version: 1\ntokens:\n  cats: { type: ERC721, chainId: 1, contractAddress: ${address} }\ncommunities:\n  - community: a\n    rules:\n      - ${rule}\n${rest}`;

  test('the tests of the sample pass, and a wrong expectation fails with its place', async () => {
    const text = await readFile(sample, 'utf8');
    await write('sample.latchkey.yaml', text);
    assert.deepEqual(await run(['test'], { file: 'sample.latchkey.yaml' }), { code: 0, text: '5 tests, 0 failed.' });
    assert.deepEqual(await run(['fmt'], { file: 'sample.latchkey.yaml', check: true }), { code: 0, text: '' });
    await write('sample.latchkey.yaml', text.replace('Whale: none }', 'Whale: role }'));
    const failed = await run(['test'], { file: 'sample.latchkey.yaml' });
    assert.equal(failed.code, 1);
    assert.match(
      failed.text,
      /^sample\.latchkey\.yaml:40:9: One cat makes a holder: expected role for Whale, and it is none\n/,
    );
  });

  test('rules and the decisions of tests are explained in words', async () => {
    await write('explain.yaml', await readFile(sample, 'utf8'));
    const all = await run(['explain'], { file: 'explain.yaml' });
    assert.match(all.text, /Holders: To get Holder, a member needs at least 1 cats\./);
    const why = await run(['explain', 'One cat makes a holder'], { file: 'explain.yaml' });
    assert.match(why.text, /Whale: no[\s\S]*no: at least 10 cats; found: 1/);
    await assert.rejects(run(['explain', 'Nothing'], { file: 'explain.yaml' }), /is called “Nothing”/);
  });

  test('errors of a condition are where it is written', async () => {
    await write(
      'bad.yaml',
      withRule('{ name: A, role: R, when: { all: [{ token: cats }, { token: cats, min: x }] } }'),
    );
    assert.match(await refusal(['test'], { file: 'bad.yaml' }), /^bad\.yaml:7:\d+: /);
    await write('bad.yaml', withRule('{ name: A, role: R, when: { token: cat } }'));
    assert.match(
      await refusal(['test'], { file: 'bad.yaml' }),
      /^bad\.yaml:7:\d+: There is no token "cat".* Did you mean "cats"\?/,
    );
    await write('bad.yaml', withRule('{ name: A, role: R, when: { token: cats }, visibility: hiden }'));
    assert.match(
      await refusal(['test'], { file: 'bad.yaml' }),
      /must be one of public, secret, hidden\. Did you mean "hidden"\?/,
    );
    await write(
      'bad.yaml',
      withRule('{ name: A, role: R, when: { token: cats } }\n      - { name: A, role: S, when: { token: cats } }'),
    );
    assert.match(await refusal(['test'], { file: 'bad.yaml' }), /^bad\.yaml:8:\d+: Another rule is called "A" too/);
    await write('bad.yaml', 'version: 1\ncommunities: [\n');
    assert.match(await refusal(['test'], { file: 'bad.yaml' }), /^bad\.yaml:\d+:\d+: /);
  });

  test('variables come from the file, the environment and --var, in this order, and others are refused', async () => {
    await write(
      'variables.yaml',
      'version: 1\nvariables: { NAME: a, OTHER: "7" }\ncommunities:\n  - community: ${NAME}\n    rules: []\n  - community: $${NAME} ${OTHER}\n    rules: []\n',
    );
    const chosen = (community: string, options = {}, environment = {}) =>
      run(['test'], { file: 'variables.yaml', community, ...options }, environment);
    assert.equal((await chosen('a')).code, 0);
    assert.equal((await chosen('b', {}, { LATCHKEY_VAR_NAME: 'b' })).code, 0);
    assert.equal((await chosen('c', { var: 'NAME=c' }, { LATCHKEY_VAR_NAME: 'b' })).code, 0);
    assert.equal((await chosen('${NAME} 7')).code, 0);
    await write('variables.yaml', 'version: 1\nvariables: { NAME: a }\ncommunities:\n  - community: ${NAMES}\n');
    assert.match(
      await refusal(['test'], { file: 'variables.yaml' }),
      /^variables\.yaml:4:16: There is no variable NAMES.* Did you mean "NAME"\?/,
    );
  });

  test('nothing of the environment gets into a file but LATCHKEY_VAR_<NAME>', async () => {
    const secret = 'a secret of this process';
    const declared = 'LATCHKEY_API_KEY: none, PATH: none, API_KEY: none';
    const named = '${LATCHKEY_API_KEY} ${PATH} ${API_KEY}';
    await write('leak.yaml', `version: 1\nvariables: { ${declared} }\ncommunities:\n  - community: ${named}\n`);
    const environment = { LATCHKEY_API_KEY: secret, PATH: secret, API_KEY: secret };
    assert.equal((await run(['test'], { file: 'leak.yaml', community: 'none none none' }, environment)).code, 0);
    await write('leak.yaml', `version: 1\ncommunities:\n  - community: ${named}\n`);
    const error = await run(['test'], { file: 'leak.yaml' }, environment).catch(String);
    assert.match(String(error), /There is no variable LATCHKEY_API_KEY/);
    assert.ok(!String(error).includes(secret));
  });

  test('included files share tokens, and a community is described once', async () => {
    await write(
      'main.yaml',
      `version: 1\ninclude: [part-*.yaml]\ntokens:\n  cats: { type: ERC721, chainId: 1, contractAddress: ${address} }\n`,
    );
    await write(
      'part-1.yaml',
      'version: 1\ncommunities:\n  - community: one\n    rules: [{ name: A, role: R, when: { token: cats } }]\n',
    );
    await write('part-2.yaml', 'version: 1\ncommunities:\n  - community: two\n    rules: []\n');
    assert.equal((await run(['test'], { file: 'main.yaml', community: 'two' })).code, 0);
    await write('part-2.yaml', 'version: 1\ncommunities:\n  - community: one\n');
    assert.match(
      await refusal(['test'], { file: 'main.yaml' }),
      /^part-2\.yaml:3:16: The community one is described twice/,
    );
  });

  test('a file that contains itself, or far too much, is refused', async () => {
    await write('self.yaml', 'version: 1\ntokens: &a\n  x: *a\n');
    assert.match(await refusal(['test'], { file: 'self.yaml' }), /at most 200000 values/);
    const tenfold = Array.from(
      { length: 9 },
      (_, n) => `  t${n + 1}: &t${n + 1} [${Array(10).fill(`*t${n}`).join(', ')}]`,
    );
    await write('laughs.yaml', `version: 1\ntokens:\n  t0: &t0 x\n${tenfold.join('\n')}\n`);
    assert.match(await refusal(['test'], { file: 'laughs.yaml' }), /at most 200000 values/);
  });

  test('a file that is too large, or becomes so by its variables, is refused', async () => {
    await write('large.yaml', `version: 1\n# ${'x'.repeat(2_000_000)}\n`);
    assert.match(await refusal(['test'], { file: 'large.yaml' }), /^large\.yaml:1:1: A file can have at most 2 MB\.$/);
    const many = '${V}'.repeat(100_000);
    await write(
      'filled.yaml',
      `version: 1\nvariables: { V: ${'x'.repeat(100_000)} }\ncommunities:\n  - community: "${many}"\n`,
    );
    assert.match(await refusal(['test'], { file: 'filled.yaml' }), /a file can have at most 8 MB/);
    await write('deep.yaml', '['.repeat(200_000));
    await assert.rejects(run(['test'], { file: 'deep.yaml' }), /levels deep|^Error: deep\.yaml/);
  });

  test('files include nothing outside of the folder of the first one', async () => {
    await mkdir(join(folder, 'inner'));
    await write('outside.yaml', 'version: 1\n');
    for (const name of ['../outside.yaml', '../out*.yaml', 'link.yaml']) {
      await symlink(join(folder, 'outside.yaml'), join(folder, 'inner', 'link.yaml')).catch(() => undefined);
      await write('inner/main.yaml', `version: 1\ninclude: ["${name}"]\ncommunities:\n  - community: a\n`);
      assert.match(await refusal(['test'], { file: 'inner/main.yaml' }), /:2:11: .* is outside of /);
    }
  });

  test('fmt keeps comments and orders fields, and changes nothing the second time', async () => {
    const text = `# Ours.\nversion: 1\ncommunities:\n  - rules:\n      # The only rule.\n      - when: { contractAddress: ${address}, type: ERC20, chainId: 1 } # all of it\n        role: R\n        name: A\n    community: a\n`;
    const formatted = format(text);
    assert.equal(format(formatted), formatted);
    assert.match(formatted, /^# Ours\./);
    assert.match(formatted, /- community: a\n {4}rules:\n {6}# The only rule\.\n {6}- name: A\n {8}role: R\n {8}when:/);
    assert.match(formatted, /# all of it/);
    await write('fmt.yaml', text);
    assert.equal((await run(['fmt'], { file: 'fmt.yaml', check: true })).code, 1);
    assert.equal((await run(['fmt'], { file: 'fmt.yaml' })).code, 0);
    assert.equal((await run(['fmt'], { file: 'fmt.yaml', check: true })).code, 0);
  });

  test('fmt also checks and writes included files that describe no community', async () => {
    const tokens = `version: 1\ntokens:\n    cats: { chainId: 1, type: ERC721, contractAddress: '${address}' }\n`;
    await write('tokens.yaml', tokens);
    await write('whole.yaml', 'version: 1\ninclude: [tokens.yaml]\ncommunities:\n  - community: a\n');
    const checked = await run(['fmt'], { file: 'whole.yaml', check: true });
    assert.equal(checked.code, 1);
    assert.match(checked.text, /^tokens\.yaml$/m);
    assert.equal((await run(['fmt'], { file: 'whole.yaml' })).code, 0);
    assert.match(await readFile(join(folder, 'tokens.yaml'), 'utf8'), /^ {2}cats: \{ type: ERC721/m);
    assert.deepEqual(await run(['fmt'], { file: 'whole.yaml', check: true }), { code: 0, text: '' });
  });

  test('what must never be has its errors where they are, and is explained in words', async () => {
    const never = (text: string) =>
      withRule('{ name: A, role: R, when: { token: cats } }', `    never:\n      - ${text}\n`);
    await write('never.yaml', never('{ role: R, unless: { holds: { token: dogs } } }'));
    assert.match(await refusal(['test'], { file: 'never.yaml' }), /^never\.yaml:9:\d+: There is no token "dogs"/);
    await write('never.yaml', never('{ role: R, unless: { holds: { token: cats, min: many } } }'));
    assert.match(await refusal(['test'], { file: 'never.yaml' }), /^never\.yaml:9:57: An amount must be/);
    await write('never.yaml', never('{ role: R, unless: { role: S, holds: { token: cats } } }'));
    assert.match(await refusal(['test'], { file: 'never.yaml' }), /`unless` has either `holds` or `role`/);
    await write('never.yaml', never('{ name: Owners, role: R, unless: { all: [] } }'));
    assert.match(await refusal(['test'], { file: 'never.yaml' }), /^never\.yaml:9:\d+: There is no field "all" here/);
    await write('never.yaml', never('{ name: Owners, role: R, unless: { holds: { token: cats, min: 3 } } }'));
    const { text } = await run(['explain', 'Owners'], { file: 'never.yaml' });
    assert.match(text, / {2}Owners: No member gets R without at least 3 cats\.$/);
  });

  test('a misspelled command is refused with those there are', async () => {
    await assert.rejects(run(['aply']), /Unknown command: aply\.\nUse one of: pull, fmt, test/);
  });
});
