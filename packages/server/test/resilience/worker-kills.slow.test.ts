import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { createTestDatabase, type TestDatabase } from '@latchkey/db/testing';
import { seed, until, volume } from '@latchkey/test-kit';
import { startTelegramTwin, type TelegramTwin } from '@latchkey/twins/telegram';
import pg from 'pg';
import { throwDice } from '../harness/dice.ts';
import { type Environment, freePorts, type LatchkeyProcess, startLatchkey } from '../harness/processes.ts';

const kills = volume(1, 20);
const crewSize = volume(2, 3);
const saidPerKill = volume(10, 40);

describe('workers that are killed at random', () => {
  let database: TestDatabase;
  let twin: TelegramTwin;
  let client: pg.Client;
  let environment: Environment;
  let workers: LatchkeyProcess[];

  async function startWorker(): Promise<LatchkeyProcess> {
    const worker = startLatchkey(['worker'], { ...environment, LATCHKEY_PORT: String(await freePorts()) });
    await worker.printed(/Latchkey worker is running/);
    return worker;
  }

  before(async () => {
    database = await createTestDatabase({ name: 'worker_kills' });
    twin = await startTelegramTwin({ limits: { overall: { limit: 100_000, windowSeconds: 1 } } });
    environment = {
      NODE_ENV: 'production',
      DATABASE_URL: database.url,
      LATCHKEY_MASTER_KEYS: `k1:${Buffer.alloc(32, 5).toString('base64')}`,
      LATCHKEY_TELEGRAM_BOT_TOKEN: twin.bot.token,
      LATCHKEY_TELEGRAM_API_URL: twin.url,
    };
    workers = await Promise.all(Array.from({ length: crewSize }, startWorker));
    client = new pg.Client({ connectionString: database.adminUrl });
    await client.connect();
  });
  after(async () => {
    await Promise.all(workers.map((worker) => worker[Symbol.asyncDispose]()));
    await client.end();
    await twin.stop();
    await database.drop();
  });

  test('lose no update that Telegram still offers, and count none twice', async (t) => {
    if (process.platform === 'linux')
      t.diagnostic(`a worker with one bot takes ${await megabytesOf(workers[0])} MB at rest`);
    const dice = throwDice(seed('worker-kills'));
    const group = twin.createGroup({ title: 'Cat Club' });
    const id = `TEL#COMM#${group.id}`;
    const one = async (text: string) => (await client.query(text, [id])).rows[0]?.n;
    await until('the community is known', () => one('select 1 as n from communities where id = $1'));
    const people = Array.from({ length: 5 }, (_, index) => twin.createUser(`Person ${index}`).id);
    for (const person of people) twin.addMember(group.id, person);
    const askers: number[] = [];
    let said = 0;
    for (let kill = 0; kill < kills; kill += 1) {
      const diesAfter = dice.below(saidPerKill);
      for (let spoken = 0; spoken < saidPerKill; spoken += 1) {
        if (spoken === diesAfter) await replaceOne(dice.below(workers.length));
        twin.speak(dice.pick(people), group.id, `message ${said}`);
        said += 1;
      }
      const asker = twin.createUser(`Asker ${kill}`).id;
      twin.speakToBot(asker, '/connect');
      askers.push(asker);
    }
    const heard = () =>
      one(`select sum(count)::int as n from community_interactions where community_id = $1 and kind = 'message'`);
    await until('every message was heard', async () => (await heard()) >= said);
    const answersTo = (asker: number) =>
      twin.sentMessages(asker).filter(({ from }) => from.id === twin.bot.user.id).length;
    await until('everybody was answered', () => askers.every((asker) => answersTo(asker) > 0));
    await until('no job is left', async () => {
      const { rows } = await client.query(`select from jobs where name like 'telegram.%'`);
      return rows.length === 0;
    });
    assert.equal(await heard(), said);
    const dead = await client.query(`select name, last_error from jobs where state = 'dead'`);
    assert.deepEqual(dead.rows, []);
    const repeated = askers.reduce((sum, asker) => sum + answersTo(asker) - 1, 0);
    t.diagnostic(`${kills} kills, ${said} messages counted once each, ${repeated} answers sent again`);
  });

  async function replaceOne(index: number): Promise<void> {
    await workers[index]?.stop('SIGKILL');
    workers[index] = await startWorker();
  }
});

async function megabytesOf(worker: LatchkeyProcess | undefined): Promise<string> {
  const status = await readFile(`/proc/${worker?.pid}/status`, 'utf8');
  return (Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024).toFixed();
}
