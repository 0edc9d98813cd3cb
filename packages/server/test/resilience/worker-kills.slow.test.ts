import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createTestDatabase, type TestDatabase } from '@latchkey/db/testing';
import { type DiscordEmulator, startDiscordEmulator } from '@latchkey/emulators/discord';
import { startTelegramEmulator, type TelegramEmulator } from '@latchkey/emulators/telegram';
import { seed, until, volume } from '@latchkey/test-kit';
import pg from 'pg';
import { throwDice } from '../harness/dice.ts';
import { megabytesOf } from '../harness/memory.ts';
import { type Environment, freePorts, type LatchkeyProcess, startLatchkey } from '../harness/processes.ts';

const kills = volume(1, 20);
const crewSize = volume(2, 3);
const saidPerKill = volume(10, 40);

describe('workers that are killed at random', () => {
  let database: TestDatabase;
  let emulator: TelegramEmulator;
  let discord: DiscordEmulator;
  let client: pg.Client;
  let environment: Environment;
  let workers: LatchkeyProcess[];

  async function startWorker(): Promise<LatchkeyProcess> {
    const worker = startLatchkey(['worker'], { ...environment, LATCHKEY_PORT: String(await freePorts()) });
    await worker.printed(/Latchkey worker is running/);
    return worker;
  }

  before(async () => {
    database = await createTestDatabase({ name: 'worker_kills', migrate: true });
    emulator = await startTelegramEmulator({ limits: { overall: { limit: 100_000, windowSeconds: 1 } } });
    discord = await startDiscordEmulator({ seed: 'worker-kills' });
    environment = {
      NODE_ENV: 'production',
      DATABASE_URL: database.url,
      LATCHKEY_MASTER_KEYS: `k1:${Buffer.alloc(32, 5).toString('base64')}`,
      LATCHKEY_TELEGRAM_BOT_TOKEN: emulator.bot.token,
      LATCHKEY_TELEGRAM_API_URL: emulator.url,
      LATCHKEY_DISCORD_BOT_TOKEN: discord.application.token,
      LATCHKEY_DISCORD_API_URL: discord.url,
    };
    workers = await Promise.all(Array.from({ length: crewSize }, startWorker));
    client = new pg.Client({ connectionString: database.adminUrl });
    await client.connect();
  });
  after(async () => {
    await Promise.all(workers.map((worker) => worker[Symbol.asyncDispose]()));
    await client.end();
    await emulator.stop();
    await discord.stop();
    await database.drop();
  });

  test('lose nothing that Telegram and Discord still deliver, and count nothing twice', async (t) => {
    if (process.platform === 'linux')
      t.diagnostic(`a worker with two bots takes ${(await megabytesOf(workers[0]?.pid ?? 0)).toFixed()} MB at rest`);
    const dice = throwDice(seed('worker-kills'));
    const group = emulator.createGroup({ title: 'Cat Club' });
    const id = `TEL#COMM#${group.id}`;
    const one = async (text: string, of: string) => (await client.query(text, [of])).rows[0]?.n;
    await until('the community is known', () => one('select 1 as n from communities where id = $1', id));
    const server = await settleServer();
    const people = Array.from({ length: 5 }, (_, index) => emulator.createUser(`Person ${index}`).id);
    for (const person of people) emulator.addMember(group.id, person);
    const askers: number[] = [];
    let reply = 0;
    for (let kill = 0; kill < kills; kill += 1) {
      const diesAfter = dice.below(saidPerKill);
      for (let spoken = 0; spoken < saidPerKill; spoken += 1) {
        if (spoken === diesAfter) await replaceOne(dice.below(workers.length));
        emulator.speak(dice.pick(people), group.id, `message ${reply}`);
        server.speak(`message ${reply}`);
        reply += 1;
      }
      const asker = emulator.createUser(`Asker ${kill}`).id;
      emulator.speakToBot(asker, '/connect');
      askers.push(asker);
    }
    const received = (of = id) =>
      one(`select sum(count)::int as n from community_interactions where community_id = $1 and kind = 'message'`, of);
    await until('every message was received', async () => (await received()) >= reply);
    await until('every message on Discord was received', async () => (await received(server.id)) >= reply);
    const answersTo = (asker: number) =>
      emulator.sentMessages(asker).filter(({ from }) => from.id === emulator.bot.user.id).length;
    await until('every caller was answered', () => askers.every((asker) => answersTo(asker) > 0));
    await until('no job is left', async () => {
      const { rows } = await client.query(`select from jobs where name like 'telegram.%'`);
      return rows.length === 0;
    });
    assert.deepEqual([await received(), await received(server.id)], [reply, reply]);
    const dead = await client.query(`select name, last_error from jobs where state = 'dead'`);
    assert.deepEqual(dead.rows, []);
    const repeated = askers.reduce((sum, asker) => sum + answersTo(asker) - 1, 0);
    t.diagnostic(`${kills} kills, ${reply} messages counted once each, ${repeated} answers sent again`);
  });

  /** Creates a Discord server that Latchkey knows, whose bot has started to receive events. */
  async function settleServer() {
    const { id: guildId, channels } = discord.createGuild({ name: 'Dog Club' });
    const id = `DIS#COMM#${guildId}`;
    await client.query(
      `insert into communities (id, platform, community_id, name, status, owner_id, profile, disable_background_checks,
         created_at, updated_at)
       values ($1, 'discord', $2, 'Dog Club', 'active', 'DIS#USER#1', '{}', true, now(), now())`,
      [id, guildId],
    );
    const { user } = discord.addMember(guildId, { name: 'ann' });
    const [channelId = ''] = channels.keys();
    // Discord does not deliver messages from before the bot came online, or to a session that no worker knows.
    await until('the bot is online', () => discord.gateway.shards().length > 0);
    await until('its session is kept', async () => (await client.query('select from discord_shards')).rows.length > 0);
    return { id, speak: (text: string) => discord.speak(user.id, channelId, text) };
  }

  async function replaceOne(index: number): Promise<void> {
    await workers[index]?.stop('SIGKILL');
    workers[index] = await startWorker();
  }
});
