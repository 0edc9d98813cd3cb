import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type MiniAppWorld, startMiniAppWorld } from '@latchkey/server/testing/mini-app-world';
import { until, volume } from '@latchkey/test-kit';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { programWith, readPrograms } from '../samples/programs.ts';
import { type Member, shows, withApp, withProgram } from './installed-miniapp.ts';
import { emulatorsOf, openWorkshop, partsOf, type Workshop, withoutKeys } from './run-programs.ts';

/** TypeScript in every run; Python, which needs another toolchain, in the deep run only. */
const inThisRun = (commands: readonly [node: string, python: string]) => commands.slice(0, volume(1, 2));
const pages = 'docs/upstream-integrations/miniapp-actions/';

/** Replaces text that occurs exactly once. */
function swap(text: string, from: string | RegExp, to: string): string {
  assert.equal(text.split(from).length, 2, `${from} is there once`);
  return text.replace(from, () => to);
}

describe('the programs of guides for mini-apps do the same in TypeScript and in Python', { skip: withoutKeys }, () => {
  let world: MiniAppWorld;
  let workshop: Workshop;
  /** What authors start with: the TypeScript template, and the Python server of a page. */
  let template: string;
  const dice = emulatorsOf(`${pages}build-a-custom-action.md`, { ts: 'createServer(', py: 'class Dice(' });
  before(async () => {
    world = await startMiniAppWorld();
    workshop = await openWorkshop();
    template = await readFile(join(world.folder, 'mini-app.ts'), 'utf8');
  });
  after(async () => {
    await workshop?.[Symbol.asyncDispose]();
    await world?.stop();
  });

  const firstOfAnswer = '  const { data = {}, actionContext } = interaction;\n';
  const tryEach = async (
    commands: readonly [node: string, python: string],
    use: (member: Member, command: string) => Promise<void>,
  ) => {
    for (const command of inThisRun(commands))
      await withProgram(world, workshop, command, (member) => use(member, command));
  };
  /** The Python server with lines of a page added, and another answer function. */
  const diceWith = (lines: string, answer: string) =>
    swap(dice.py, /def answer\(interaction[\s\S]*?(?=\n\n\nclass Dice)/, `${lines}\n\n\n${answer}`);

  test('the server from scratch rolls a die, and again', async () => {
    await workshop.write({ 'dice.ts': dice.ts, 'dice.py': dice.py });
    await tryEach(['node dice.ts', 'python3 dice.py'], async (member) => {
      const rolled = await member.command('roll', { sides: 20 });
      await shows(rolled, /^You rolled \d+ of 20\.$/);
      await shows(await member.button(rolled.message()?.id ?? '', 'roll:20'), /^You rolled \d+ of 20\.$/);
    });
  });

  test('the signature checks accept only what the keys signed a moment ago', async () => {
    const checks = emulatorsOf(`${pages}build-a-custom-action.md`, { ts: 'isSignedEcdsa', py: 'is_signed_ecdsa' });
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const account = privateKeyToAccount(generatePrivateKey());
    const ed25519Key = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex');
    const call = async (age: number) => {
      const timestamp = String(Date.now() - age);
      const signed = Buffer.from(`${timestamp}{"who":"Zoë"}`);
      const ed25519 = sign(null, signed, privateKey).toString('hex');
      return { timestamp, ed25519, ecdsa: await account.signMessage({ message: { raw: signed } }) };
    };
    const [good, old, later] = [await call(0), await call(10 * 60_000), await call(60_000)];
    const given = [good, old, { ...later, timestamp: good.timestamp }, { ...good, ed25519: 'no', ecdsa: '0x' }].flatMap(
      (one) => [
        { ...one, body: '{"who":"Zoë"}' },
        { ...one, body: '{"who":"Zoe"}' },
      ],
    );
    const keys = { GIVEN: JSON.stringify(given), ED25519_KEY: ed25519Key, ECDSA_KEY: account.publicKey };
    await workshop.write({
      // The server below the checks belongs to another program.
      'check.ts': `${checks.ts.slice(0, checks.ts.indexOf('import { createServer'))}
const { GIVEN = '', ED25519_KEY = '', ECDSA_KEY = '' } = process.env;
const calls = JSON.parse(GIVEN).map(async ({ timestamp, ed25519, ecdsa, body }) => [
  isSignedEd25519(timestamp, ed25519, Buffer.from(body), ED25519_KEY),
  await isSignedEcdsa(timestamp, ecdsa, Buffer.from(body), ECDSA_KEY),
]);
process.stdout.write(JSON.stringify(await Promise.all(calls)));`,
      'check.py': `${checks.py}
import json, os
print(json.dumps([[
    is_signed_ed25519(one["timestamp"], one["ed25519"], one["body"].encode(), os.environ["ED25519_KEY"]),
    is_signed_ecdsa(one["timestamp"], one["ecdsa"], one["body"].encode(), os.environ["ECDSA_KEY"]),
] for one in json.loads(os.environ["GIVEN"])]))`,
    });
    for (const command of inThisRun(['node check.ts', 'python3 check.py']))
      assert.deepEqual(JSON.parse(await workshop.run(command, keys)), [[true, true], ...Array(7).fill([false, false])]);
  });

  test('the program that uses a command for a member shows what the member sees, or why it failed', async () => {
    const emulators = emulatorsOf(`${pages}getting-started.md`, { ts: '/press', py: '/press' });
    const { guildId, memberId } = world.guild;
    const here = (text: string) =>
      text
        .replaceAll('http://127.0.0.1:3040', new URL(world.discord.url).origin)
        .replaceAll('100000000000000001', guildId)
        .replaceAll('200000000000000001', memberId);
    await workshop.write({ 'press.ts': here(emulators.ts), 'press.py': here(emulators.py) });
    for (const command of inThisRun(['node press.ts', 'python3 press.py']))
      assert.match(await workshop.run(command), /^The application has no command \/greet/);
    await withApp(world, world.appUrl, async () => {
      for (const command of inThisRun(['node press.ts', 'python3 press.py']))
        await until(`${command} is greeted`, async () => (await workshop.run(command)) === 'Hello, ada, in Cats!\n');
    });
  });

  test('the example of follow-up messages greets, counts down and deletes', async () => {
    const { ts, py } = emulatorsOf(`${pages}build-a-template-action.md`, { ts: 'countDown', py: 'count_down' });
    const [imported = '', ...functions] = ts.split('\n');
    const withFunctions = swap(
      template,
      /\/\*\* Further messages[\s\S]*?(?=function say)/,
      `${functions.join('\n')}\n\n`,
    );
    const lastOfAnswer = / {2}setTimeout\(\(\) => void goOn.*\n {2}return say.*/;
    const greeting = "  return greet(interaction.member?.user?.username ?? 'you', actionContext.callbackUrl);";
    const answer = `def answer(interaction):
    return greet(interaction["member"]["user"]["username"], interaction["actionContext"]["callbackUrl"])`;
    await workshop.write({
      'mini-app.ts': `${imported}\n${swap(withFunctions, lastOfAnswer, greeting)}`,
      'dice.py': diceWith(py, answer),
    });
    await tryEach(['node mini-app.ts', 'python3 dice.py'], async (member, command) => {
      const greeted = await member.command(command.startsWith('node') ? 'greet' : 'roll');
      await shows(greeted, /^Hello, ada\.$/);
      for (const left of [3, 2, 1])
        await until(`${command} counts to ${left}`, () =>
          greeted.followUps().some(({ content }) => content === `This message goes in ${left} s.`),
        );
      await until('the message is gone', () => greeted.followUps().length === 0);
    });
  });

  test('the permission request leads to a token that reads the profile, or to none', async () => {
    const { ts, py } = emulatorsOf(`${pages}miniapp-user-authorization.md`, {
      ts: 'askPermission',
      py: 'ask_permission',
    });
    const asking = "void askPermission(actionContext.callbackUrl, { clientId, scopes: ['user:read'] })";
    const deciding = '  if (interaction.type === 3) return onDecision(interaction as never);\n';
    const asks = swap(template, 'void goOn(actionContext.callbackUrl)', asking);
    const answer = `import threading
def answer(interaction):
    if interaction["type"] == 3:
        return on_decision(interaction)
    asked = [interaction["actionContext"]["callbackUrl"], os.environ["LATCHKEY_CLIENT_ID"], ["user:read"]]
    threading.Timer(0.1, ask_permission, asked).start()
    return say("Hello, ada, in Cats!")`;
    await workshop.write({
      'mini-app.ts': `${swap(asks, firstOfAnswer, firstOfAnswer + deciding)}\n${ts}`,
      'dice.py': diceWith(py, answer),
    });
    await tryEach(['node mini-app.ts', 'python3 dice.py'], async (member, command) => {
      const greeted = await member.command(command.startsWith('node') ? 'greet' : 'roll');
      await shows(greeted, /^Hello, ada, in Cats!$/);
      const question = await until('the app asks', () => greeted.followUps()[0]);
      assert.equal(question.content, 'May I read your profile and your wallets, to show what you can join?');
      const buttons = JSON.stringify(question.components).match(/\$(?:approve|deny)-user-permissions:\w+/g) ?? [];
      const [approve = '', deny = ''] = buttons;
      await shows(await member.button(question.id, deny), /^Then I go on without it\.$/);
      const approved = await member.button(question.id, approve);
      const [allow] = await until('Latchkey asks in its own words', () =>
        /latchkey:permit:\w+/.exec(JSON.stringify(approved.message()?.components ?? [])),
      );
      await shows(await member.button(approved.message()?.id ?? '', allow), /^You are ada to the server\.$/);
    });
  });

  test('an expired token is reported as such', async () => {
    const { ts, py } = emulatorsOf(`${pages}miniapp-user-authorization.md`, { ts: 'onDecision', py: 'on_decision' });
    const decided = JSON.stringify({
      data: { custom_id: '$approve-user-permissions:1' },
      actionContext: { callbackUrl: `${world.server.url}/discord/webhooks/1`, apiToken: 'ended' },
    });
    await workshop.write({
      'decide.ts': `${ts}\nprocess.stdout.write(JSON.stringify(await onDecision(${decided})));`,
      'decide.py': `${py}\n\nprint(json.dumps(on_decision(${decided})))`,
    });
    const report = { type: 4, data: { content: 'That took too long. Use the command once more.', flags: 64 } };
    for (const command of inThisRun(['node decide.ts', 'python3 decide.py']))
      assert.deepEqual(JSON.parse(await workshop.run(command)), report);
  });

  test('the welcome is given in the chat, and its tests pass for it and fail for another', async () => {
    const page = `${pages}customize-actions.md`;
    const { ts, py } = partsOf(page, { ts: 'recorded', py: 'RECORDED' });
    const described = programWith(readPrograms(['json']).programs, page, 'applicationCommands').text;
    const metadata = /\n {2}applicationCommands: .*\n {2}supportedInteractions: .*\n/;
    const greets = swap(template, metadata, `\n  ...${described.trim()},\n`);
    const choosing = "  if (interaction.data?.name === 'welcome') return welcome(interaction);\n";
    const answer = /def answer\(interaction.*\n/.exec(dice.py)?.[0] ?? '';
    const choosingInPython =
      '    if interaction["data"].get("name") == "welcome":\n        return welcome(interaction)\n';
    const update = `METADATA.update(json.loads(${JSON.stringify(described)}))\n\n\n`;
    await workshop.write({
      'welcome.ts': ts[0] ?? '',
      'welcome.test.ts': `import { type Interaction, welcome } from './welcome.ts';\n${ts[1]}`,
      'mini-app.ts': `import { welcome } from './welcome.ts';\n${swap(greets, firstOfAnswer, choosing + firstOfAnswer)}`,
      'welcome.py': py[0] ?? '',
      'test_welcome.py': `from welcome import welcome\n${py[1]}`,
      'dice.py': `from welcome import welcome\n${swap(swap(dice.py, answer, answer + choosingInPython), 'def is_signed(', `${update}def is_signed(`)}`,
    });
    await tryEach(['node mini-app.ts', 'python3 dice.py'], async (member) => {
      await shows(await member.command('welcome'), /^Welcome to Cats, ada\.$/);
      await shows(await member.command('welcome', { who: 'Grace' }), /^Welcome to Cats, Grace\.$/);
    });
    const unitTests = ['node --test welcome.test.ts', 'python3 -m unittest'] as const;
    for (const command of inThisRun(unitTests)) await workshop.run(command);
    const another = (text = '') => text.replace('Welcome to', 'Goodbye from');
    await workshop.write({ 'welcome.ts': another(ts[0]), 'welcome.py': another(py[0]) });
    for (const command of inThisRun(unitTests))
      await assert.rejects(workshop.run(command), command.startsWith('node') ? /fail 2/ : /FAILED \(failures=2\)/);
  });
});
