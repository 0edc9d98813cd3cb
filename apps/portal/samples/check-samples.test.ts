import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkCommands } from './check-commands.ts';
import { checkSettings, checkSql } from './check-files.ts';
import { checkHttp, checkJson } from './check-http.ts';
import { readInfo } from './info.ts';
import { groupSamples, readErrors } from './programs.ts';
import { type Problem, type Sample, samplesOf } from './read-samples.ts';

function sampleOf(info: string, text: string, line = 1): Sample {
  const [language = '', ...meta] = info.split(' ');
  return { ...readInfo(language, meta.join(' ')), file: 'docs/a.md', line, text, tabs: [] };
}

const places = (problems: readonly Problem[]) => problems.map(({ file, line }) => `${file}:${line}`);
const words = (problems: readonly Problem[]) => problems.map(({ text }) => text).join('\n');

test('code blocks are found anywhere on a page, with their line numbers', () => {
  const body =
    'Text.\n\n1. Step\n\n   ```bash run\n   npm start\n   ```\n\n<Tabs>\n<TabItem value="a" label="For programmers">\n<Tabs>\n<TabItem value="b" label="TypeScript">\n\n```json schema="GET /ping answer"\n{}\n```\n\n</TabItem>\n</Tabs>\n</TabItem>\n</Tabs>\n';
  const found = samplesOf({ file: 'docs/a.md', body, offset: 4 });
  assert.deepEqual(
    found.map(({ language, line, text, runs, schema, tabs }) => [language, line, text, runs, schema, tabs]),
    [
      ['bash', 10, 'npm start', true, undefined, []],
      ['json', 19, '{}', false, 'GET /ping answer', ['For programmers', 'TypeScript']],
    ],
  );
});

test('JSON is checked against the schema of its operation, and rules against the engine', () => {
  const rule =
    '{"name": "One", "type": "ERC721", "chainId": 1, "contractAddress": "0x2222222222222222222222222222222222222222", "roleId": "1"}';
  const body = 'json schema="POST /communities/{id}/tpcs body"';
  assert.deepEqual(checkJson(sampleOf(body, rule)), []);
  assert.match(words(checkJson(sampleOf(body, rule.replace('ERC721', 'ERC722')))), /ERC722/);
  assert.match(words(checkJson(sampleOf(body, rule.replace('"name"', '"nom"')))), /additional properties/);
  assert.match(words(checkJson(sampleOf('json schema="GET /nothing answer"', '{}'))), /names no operation/);
  assert.match(words(checkJson(sampleOf('json schema="GET /ping body"', '{}'))), /has no body/);
  assert.match(words(checkJson(sampleOf('json', '{'))), /is not JSON/);
  assert.deepEqual(checkJson(sampleOf('json', '{"any": "thing"}')), []);
});

test('a written-out request matches an operation and its parameters', () => {
  const request = 'POST /communities HTTP/1.1\nauthorization: AE $TOKEN\n\n{"platform": "discord", "communityId": "1"}';
  assert.deepEqual(checkHttp(sampleOf('http', request)), []);
  assert.deepEqual(places(checkHttp(sampleOf('http', request.replace('discord"', 'discord", "x": 1')))), [
    'docs/a.md:4',
  ]);
  assert.match(words(checkHttp(sampleOf('http', request.replace('communities', 'villages')))), /no operation/);
  assert.match(words(checkHttp(sampleOf('http', request.replace('n: A', 'n A')))), /no header/);
  assert.match(words(checkHttp(sampleOf('http', 'GET /communities/<the id>?all=1'))), /no parameter all/);
});

test('a command exists, and its settings are ones that it reads', () => {
  const good = [
    'npm start',
    'npm run demo',
    'npm run latchkey -- apps approve <client id> --scopes "token-gating"',
    'LATCHKEY_PORT=3000 LATCHKEY_EVM_RPC_URLS="1=https://a.example 1=https://b.example" npm start',
    'git clone https://git.example/latchkey.git',
    'npm install ./latchkey-client-0.78.2.tgz',
    'npm run latchkey -- server --processes auto',
    'npm run latchkey -- migrate --dry-run',
    'npm run latchkey -- backup /backups/latchkey.backup',
    'docker compose -f deploy/compose/compose.yaml exec server latchkey doctor',
    'systemctl enable --now latchkey-server',
    'useradd --system latchkey-signer',
    'systemd-run --pipe --uid=latchkey /opt/latchkey/node/bin/node packages/server/src/cli/main.ts doctor',
    'kubectl -n latchkey exec deploy/server -- latchkey admin-key create first',
    'LATCHKEY_PORTAL_URL=https://docs.example.org node apps/portal/build.ts',
  ];
  for (const text of good) assert.deepEqual(checkCommands(sampleOf('bash', text)), [], text);
  const bad: [string, RegExp][] = [
    ['npm run nothing', /no such script/],
    ['npm demo', /no such script/],
    ['npm run latchkey apps', /needs --/],
    ['npm run latchkey -- dance', /the command dance/],
    ['npm run latchkey -- apps dance', /not how it is used/],
    ['LATCHKEY_PROT=1 npm start', /LATCHKEY_PROT, which nothing reads/],
    ['LATCHKEY_PORT=many npm start', /must be a whole number/],
    ['LATCHKEY_PORT=1', /for no command/],
    ['curl https://example.org', /runs curl/],
    ['npm install ./latchkey-nothing-0.78.2.tgz', /npm run pack does not make/],
    ['npm install left-pad', /npm run pack does not make/],
    ['git push', /else than clone/],
    ['npm run latchkey -- backup', /not how it is used/],
    ['npm run latchkey -- worker --processes auto', /not how it is used/],
    ['docker compose up', /names no compose file/],
    ['docker compose -f deploy/compose/nothing.yaml up', /nothing.yaml, which is not there/],
    ['docker compose -f deploy/compose/compose.yaml exec database latchkey doctor', /service database/],
    ['docker compose -f deploy/compose/compose.yaml exec server latchkey dance', /the command dance/],
    ['systemctl enable --now latchkey-dancer', /unit latchkey-dancer/],
    ['useradd --system root', /no unit runs as/],
    ['cp deploy/nothing.env .env', /which is not there/],
    ['node apps/portal/nothing.ts', /which is not there/],
    ['systemd-run --uid=root node packages/server/src/cli/main.ts doctor', /no unit runs as/],
    ['systemd-run --uid=latchkey node packages/server/src/cli/main.ts dance', /the command dance/],
    ['kubectl -n latchkey exec deploy/server -- latchkey dance', /the command dance/],
    ['kubectl delete everything', /runs kubectl/],
    ['pg_dump --clean', /not used like this/],
    ['npm start | tee log', /has \| outside quotes/],
  ];
  for (const [text, complaint] of bad) assert.match(words(checkCommands(sampleOf('bash', text))), complaint, text);
});

test('a settings file sets existing settings to valid values', () => {
  assert.deepEqual(checkSettings(sampleOf('env', '# a remark\n\nLATCHKEY_PORT=3000')), []);
  const wrong = checkSettings(sampleOf('env', 'LATCHKEY_PORT=many\nLATCHKEY_PROT=1\nport 3000', 5));
  assert.deepEqual(places(wrong), ['docs/a.md:5', 'docs/a.md:6', 'docs/a.md:7']);
});

test('database statements are those that the compose file runs', () => {
  const create = "create role latchkey_signer login password '…' nosuperuser nocreatedb nocreaterole;";
  assert.deepEqual(checkSql(sampleOf('sql', create)), []);
  assert.match(words(checkSql(sampleOf('sql', create.replace('nosuperuser', 'superuser')))), /no statement/);
});

test('blocks that continue each other are one file, and its errors are at the lines of the page', () => {
  const parts = [sampleOf('ts', 'a\nb', 10), sampleOf('ts continues', 'c', 20), sampleOf('tsx', 'd', 30)];
  const { units, problems } = groupSamples([sampleOf('ts continues', 'x'), ...parts]);
  assert.match(words(problems), /continues a block/);
  assert.deepEqual(units, [
    { name: 'sample-0.ts', samples: parts.slice(0, 2) },
    { name: 'sample-1.tsx', samples: parts.slice(2) },
  ]);
  const output = 'sample-0.ts(2,1): error TS1: one\n  and more\nsample-0.ts(3,9): error TS2: two\nerror TS3: three\n';
  assert.deepEqual(places(readErrors(output, units)), ['docs/a.md:11', 'docs/a.md:20', 'the compiler:0']);
  assert.equal(readErrors(output, units)[0]?.text, 'TS1: one\n    and more');
});
