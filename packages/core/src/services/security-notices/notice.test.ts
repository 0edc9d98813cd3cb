import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startWorker } from '@latchkey/db';
import { type DiscordPlatform, discordPlatform } from '../../communities/discord-guilds/testing.ts';
import { PlatformFailed } from '../../ports/index.ts';
import { type Context, contextFor } from '../../shared/context.ts';
import { patienceMs } from '../../testing/index.ts';
import { notifyLoginMethodAdded, securityNoticeJobs } from './index.ts';

describe('notices about login methods', () => {
  let d: DiscordPlatform;
  before(async () => {
    d = await discordPlatform('security-notices');
  });
  after(() => d.close());

  /** Runs pending jobs, on a platform with these parts replaced. */
  async function work(parts: Partial<Pick<Context, 'discord' | 'telegram'>> = {}): Promise<void> {
    const services = { ...d.services, ...parts };
    const worker = startWorker({
      db: services.db,
      patienceMs,
      kinds: [...securityNoticeJobs],
      log: services.log,
      random: services.random,
      makeContext: () => contextFor(services, { kind: 'system', job: 'test' }),
      validate: () => undefined,
    });
    await worker.idle();
    await worker.stop(1_000);
  }

  const waiting = async () =>
    (await d.services.db.system.selectFrom('jobs').select('id').where('state', '<>', 'dead').execute()).length;

  test('reaches a person on Discord as a private message that says where to undo it', async () => {
    const { id } = d.emulator.createUser('ada');
    await notifyLoginMethodAdded(d.services.db.system, `DIS#USER#${id}`, 'passkey-added');
    await work();
    const [message] = d.emulator.directMessages(id);
    assert.match(String(message?.content), /^A passkey was added to your account at .+\/account, remove it/);
    assert.equal(await waiting(), 0);
  });

  test('is in the language in which its recipient used the page', async () => {
    const { id } = d.emulator.createUser('zoe');
    await notifyLoginMethodAdded(d.services.db.system, `DIS#USER#${id}`, 'passkey-added', 'es');
    await work();
    assert.match(String(d.emulator.directMessages(id)[0]?.content), /^Se añadió una llave de acceso a tu cuenta/);
  });

  test('reaches a user on Telegram, and no one without a chat account', async () => {
    const notified: string[] = [];
    const telegram = { send: async (chatId: string) => void notified.push(chatId) } as unknown as Context['telegram'];
    await notifyLoginMethodAdded(d.services.db.system, 'TEL#USER#7', 'wallet-signs-in');
    await notifyLoginMethodAdded(d.services.db.system, 'ETH#USER#0xabc', 'wallet-signs-in');
    await work({ telegram });
    assert.deepEqual([notified, await waiting()], [['7'], 0]);
  });

  test('is dropped for users who block messages, and kept for later while Discord is down', async () => {
    const failing = (kind: PlatformFailed['kind']) =>
      ({
        sendPrivately: () => Promise.reject(new PlatformFailed(kind, 'no')),
      }) as unknown as Context['discord'];
    await notifyLoginMethodAdded(d.services.db.system, 'DIS#USER#8', 'operator-token');
    await work({ discord: failing('forbidden') });
    assert.equal(await waiting(), 0);
    await notifyLoginMethodAdded(d.services.db.system, 'DIS#USER#9', 'operator-token');
    await work({ discord: failing('unavailable') });
    assert.equal(await waiting(), 1);
  });
});
