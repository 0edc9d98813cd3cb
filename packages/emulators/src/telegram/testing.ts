import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { until } from '@latchkey/test-kit';
import { Bot, GrammyError } from 'grammy';
import { startTelegramEmulator, type TelegramEmulator, type TelegramEmulatorOptions } from './start.ts';

/** Starts an emulator that stops with its test, after the bots that poll it. */
export async function emulatorFor(
  t: TestContext,
  options: TelegramEmulatorOptions = {},
): Promise<TelegramEmulator & { pollers: Bot[] }> {
  const limits = { perChat: { limit: 100, windowSeconds: 1 }, ...options.limits };
  const emulator = await startTelegramEmulator({ ...options, limits });
  const pollers: Bot[] = [];
  t.after(async () => {
    await Promise.all(pollers.map((bot) => bot.stop()));
    await emulator.stop();
  });
  return { ...emulator, pollers };
}

/** The third-party client that the emulator is tested against. */
export const botOf = (emulator: TelegramEmulator) => new Bot(emulator.bot.token, { client: { apiRoot: emulator.url } });

const kinds = ['message', 'callback_query', 'chat_join_request', 'chat_member', 'my_chat_member'] as const;

export async function poll(bot: Bot, pollers: Bot[]): Promise<void> {
  pollers.push(bot);
  await new Promise<void>((resolve) => {
    void bot.start({ allowed_updates: kinds, onStart: () => resolve(), timeout: 1 });
  });
}

export const eventually = <T>(look: () => T | undefined) => until(String(look), look);

export const refused = (code: number, description: RegExp) => (error: unknown) => {
  assert.ok(error instanceof GrammyError, String(error));
  assert.equal(error.error_code, code);
  assert.match(error.description, description);
  return true;
};
