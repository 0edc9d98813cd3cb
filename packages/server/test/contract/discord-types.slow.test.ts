import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Exchange } from './discord-description.ts';
import { findDiscordTests, isOurs, recordDiscord } from './record-discord.ts';

const root = fileURLToPath(new URL('../../../..', import.meta.url));

/** The type in discord-api-types of each body that is sent as JSON. */
const bodies: readonly [method: string, path: RegExp, type: string][] = [
  ['POST', /^\/channels\/\d+\/messages$/, 'RESTPostAPIChannelMessageJSONBody'],
  ['PATCH', /^\/channels\/\d+\/messages\/\d+$/, 'RESTPatchAPIChannelMessageJSONBody'],
  ['POST', /^\/channels\/\d+\/invites$/, 'RESTPostAPIChannelInviteJSONBody'],
  ['PUT', /^\/applications\/\d+\/commands$/, 'RESTPutAPIApplicationCommandsJSONBody'],
  ['PUT', /^\/applications\/\d+\/guilds\/\d+\/commands$/, 'RESTPutAPIApplicationGuildCommandsJSONBody'],
  ['POST', /^\/interactions\/\d+\/[^/]+\/callback$/, 'RESTPostAPIInteractionCallbackJSONBody'],
  ['POST', /^\/webhooks\/\d+\/[^/]+$/, 'RESTPostAPIWebhookWithTokenJSONBody'],
  ['PATCH', /^\/webhooks\/\d+\/[^/]+\/messages\/[^/]+$/, 'RESTPatchAPIWebhookWithTokenMessageJSONBody'],
  ['PATCH', /^\/applications\/@me$/, 'RESTPatchCurrentApplicationJSONBody'],
  ['PUT', /^\/applications\/\d+\/role-connections\/metadata$/, 'RESTPutAPIApplicationRoleConnectionMetadataJSONBody'],
  ['PATCH', /^\/guilds\/\d+\/members\/[^/]+$/, 'RESTPatchAPIGuildMemberJSONBody'],
  ['POST', /^\/guilds\/\d+\/roles$/, 'RESTPostAPIGuildRoleJSONBody'],
  ['PATCH', /^\/guilds\/\d+\/roles$/, 'RESTPatchAPIGuildRolePositionsJSONBody'],
  ['POST', /^\/guilds\/\d+\/channels$/, 'RESTPostAPIGuildChannelJSONBody'],
  ['PUT', /^\/guilds\/\d+\/onboarding$/, 'RESTPutAPIGuildOnboardingJSONBody'],
  ['POST', /^\/users\/@me\/channels$/, 'RESTPostAPICurrentUserCreateDMChannelJSONBody'],
  [
    'PUT',
    /^\/users\/@me\/applications\/\d+\/role-connection$/,
    'RESTPutAPICurrentUserApplicationRoleConnectionJSONBody',
  ],
];

function typeOf({ method, url }: Exchange): string | undefined {
  const path = new URL(url, 'http://discord.invalid').pathname.replace(/^\/v\d+/, '');
  return bodies.find(([known, pattern]) => known === method && pattern.test(path))?.[2];
}

/** Texts that only people read may be any: bodies that differ in nothing else are compiled once. */
const read = new Set(['content', 'description', 'label', 'title', 'value', 'placeholder', 'custom_id', 'url', 'id']);
const shapeOf = (body: string): string =>
  JSON.stringify(JSON.parse(body), (key, value) => (read.has(key) && typeof value === 'string' ? '' : value));

/** A sum of bits is no member of its enum, so the compiler takes it as a number. */
const withBits = (body: string): string => body.replaceAll(/(?<!\\)"flags":(\d+)/g, '"flags":$1 as number');

/** Compiles bodies against their types. Returns what the compiler refuses, each with the line that it is about. */
async function compile(written: readonly { type: string; body: string }[]): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-discord-types-'));
  const lines = [
    `import type * as discord from 'discord-api-types/v10';`,
    // An enum of texts as the texts themselves, which JSON has.
    `type Written<V> = V extends string ? \`\${V}\` : V extends object ? { [N in keyof V]: Written<V[N]> } : V;`,
    ...written.map(({ type, body }, place) => `export const b${place}: Written<discord.${type}> = ${withBits(body)};`),
  ];
  const options = { strict: true, noEmit: true, skipLibCheck: true, module: 'nodenext', target: 'esnext', types: [] };
  try {
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    await writeFile(join(folder, 'bodies.ts'), lines.join('\n'));
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: ['bodies.ts'] }));
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    const output = await new Promise<string>((resolve) =>
      execFile(process.execPath, [compiler, '-p', folder, '--pretty', 'false'], (_, out, error) =>
        resolve(out + error),
      ),
    );
    return [...output.matchAll(/bodies\.ts\((\d+),\d+\): (error .*)/g)].map(
      ([, line, problem]) => `${problem}\n  ${lines[Number(line) - 1]?.slice(0, 400)}`,
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

describe('what is sent to Discord', () => {
  let sent: Exchange[] = [];
  before(async () => {
    // The deep tier records all tests against Discord's description. These are where the product writes messages, commands and roles.
    const files = findDiscordTests().filter(
      (path) =>
        /^packages\/(core\/src\/surfaces\/(discord-interactions|setup)|platforms\/src\/discord)\//.test(path) &&
        !/\.(slow|random)\./.test(path),
    );
    const { exchanges, failure } = await recordDiscord(files);
    assert.equal(failure, undefined);
    // Discord refuses what a mini-app wrote wrong: passing it on is right.
    sent = exchanges.filter(
      (one) => isOurs(one) && one.status !== 400 && /^application\/json/.test(one.contentType ?? ''),
    );
  });

  test('fits the types of discord-api-types, messages and commands included', async (t) => {
    const withBody = sent.filter(({ body }) => body !== '');
    assert.deepEqual(
      [...new Set(withBody.filter((one) => typeOf(one) === undefined).map(({ method, url }) => `${method} ${url}`))],
      [],
      'every body has a type',
    );
    const distinct = new Map(
      withBody.map((one) => [`${typeOf(one)} ${shapeOf(one.body)}`, { type: typeOf(one) ?? '', body: one.body }]),
    );
    const types = new Set([...distinct.values()].map(({ type }) => type));
    t.diagnostic(`${withBody.length} bodies, ${distinct.size} of them distinct, of ${types.size} types`);
    for (const type of ['RESTPostAPIChannelMessageJSONBody', 'RESTPutAPIApplicationCommandsJSONBody'])
      assert.ok(types.has(type), `no body of ${type} was sent`);
    assert.deepEqual(await compile([...distinct.values()]), []);
  });

  test('is refused by the compiler if a field, a number or a text is wrong', async () => {
    const message = 'RESTPostAPIChannelMessageJSONBody';
    const row = (button: object) => ({ components: [{ type: 1, components: [button] }] });
    const button = { type: 2, style: 1, label: 'Go', custom_id: 'go' };
    const found = await compile(
      [
        { content: 'Hi', allowed_mentions: { parse: ['users'] }, ...row(button) },
        { contents: 'Hi' },
        { content: 1 },
        { allowed_mentions: { parse: ['people'] } },
        row({ ...button, style: 99 }),
      ].map((body) => ({ type: message, body: JSON.stringify(body) })),
    );
    assert.deepEqual(
      found.map((problem) => /const b(\d)/.exec(problem)?.[1]),
      ['1', '2', '3', '4'],
    );
  });
});
