import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { until } from '@latchkey/test-kit';
import { Bot, GrammyError } from 'grammy';
import { startTelegramTwin, type TelegramTwin, type TelegramTwinOptions } from './start.ts';

/** A twin that stops with its test, after the bots that poll it. */
export async function twinFor(
  t: TestContext,
  options: TelegramTwinOptions = {},
): Promise<TelegramTwin & { pollers: Bot[] }> {
  const limits = { perChat: { limit: 100, windowSeconds: 1 }, ...options.limits };
  const twin = await startTelegramTwin({ ...options, limits });
  const pollers: Bot[] = [];
  t.after(async () => {
    await Promise.all(pollers.map((bot) => bot.stop()));
    await twin.stop();
  });
  return { ...twin, pollers };
}

/** The outside client that the twin is held to. */
export const botOf = (twin: TelegramTwin) => new Bot(twin.bot.token, { client: { apiRoot: twin.url } });

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
