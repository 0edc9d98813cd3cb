import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type DiscordEmulator, startDiscordEmulator } from '@latchkey/emulators/discord';
import type { Actor } from '@latchkey/kernel';
import { createDiscord } from '@latchkey/platforms/discord';
import { type Context, contextFor, type Services } from '../../shared/context.ts';
import { type TestPlatform, testPlatform } from '../../testing/index.ts';
import { createCommunity } from '../community/index.ts';

/** A platform on a real database that talks to the Discord emulator over real HTTP. */
export interface DiscordPlatform {
  t: TestPlatform;
  emulator: DiscordEmulator;
  services: Services;
  as(actor: Actor): Context;
  close(): Promise<void>;
}

const wide = { limit: 1_000_000, windowSeconds: 1 };
/** One call at a time, without a pause in between. */
const narrow = { limit: 1, windowSeconds: 0.01 };

/**
 * `isQuick` disables Discord's rate limits; writes of one kind still run one by one. With `hasOneClock` the emulator
 * follows the clock of the test, so its limits must not matter.
 */
export async function discordPlatform(
  seed: string,
  { isQuick = false, hasOneClock = false } = {},
): Promise<DiscordPlatform> {
  const t = await testPlatform(seed);
  const buckets = { 'member-roles': narrow, 'member-write': narrow, 'member-read': wide, 'member-list': wide };
  const limits = { globalPerSecond: 1_000_000, buckets };
  const emulator = await startDiscordEmulator({
    seed,
    answerWithinMs: 120_000,
    ...(isQuick && { limits }),
    ...(hasOneClock && { clock: () => t.services.clock().getTime() }),
  });
  const { api, host, linkedRoles } = createDiscord({
    fetch,
    token: emulator.application.token,
    apiUrl: emulator.url,
    timeoutMs: 120_000,
    application: { clientId: emulator.application.id, clientSecret: emulator.application.clientSecret },
    ...(isQuick && { callsPerSecond: 1_000 }),
  });
  const services: Services = { ...t.services, discord: api, linkedRoles, hosts: { discord: host } };
  return {
    t,
    emulator,
    services,
    as: (actor) => contextFor(services, actor),
    close: async () => {
      await emulator.stop();
      await t.close();
    },
  };
}

export function discordUser(userId: string): Extract<Actor, { kind: 'user' }> {
  return {
    kind: 'user',
    userId: `DIS#USER#${userId}`,
    platform: 'discord',
    scopes: ['$all'],
    credential: 'wallet-session',
  };
}

/** A guild with the bot and two roles below it, added here by its owner. */
export async function addGuild({ emulator, as }: DiscordPlatform) {
  const guild = emulator.createGuild({ name: 'Cats' });
  const owner = discordUser(guild.ownerId);
  const [holder, whale] = ['Holder', 'Whale'].map((name) => emulator.createRole(guild.id, { name }).id) as [
    string,
    string,
  ];
  const community = await createCommunity(as(owner), {
    body: { platform: 'discord', communityId: guild.id, name: 'Cats' },
  });
  return { guildId: guild.id, id: community.id ?? '', owner, holder, whale };
}

/**
 * Simulates a member pressing a button of the bot, which responds immediately. Returns the token of the interaction.
 */
export async function answeredInteraction(
  { emulator, services }: DiscordPlatform,
  guildId: string,
  channelId: string,
): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ type: 4, data: { content: 'wait', flags: 64 } }));
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  emulator.application.interactionsUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const userId = emulator.addMember(guildId).user.id;
    const button = { type: 2, style: 1, label: 'Go', custom_id: 'go' };
    const message = await services.discord?.sendMessage(channelId, {
      content: 'press',
      components: [{ type: 1, components: [button] }],
    });
    return (await emulator.press({ userId, channelId, messageId: message?.id ?? '', customId: 'go' })).token;
  } finally {
    emulator.application.interactionsUrl = undefined;
    server.close();
    server.closeAllConnections();
  }
}
