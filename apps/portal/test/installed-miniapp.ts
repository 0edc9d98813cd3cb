import assert from 'node:assert/strict';
import { contextFor, decideMiniApp } from '@latchkey/core';
import type { Pressed } from '@latchkey/emulators/discord';
import type { MiniAppWorld } from '@latchkey/server/testing/mini-app-world';
import { freePorts } from '@latchkey/server/testing/processes';
import { until } from '@latchkey/test-kit';
import type { Workshop } from './run-programs.ts';

/** How a member of the community uses an installed mini-app. */
export interface Member {
  command(name: string, options?: Record<string, string | number>): Promise<Pressed>;
  button(messageId: string, customId: string): Promise<Pressed>;
}

/** Registers the app at a URL, lists it, and installs it in the community while a test uses it. */
export async function withApp(world: MiniAppWorld, url: string, use: (member: Member) => Promise<void>): Promise<void> {
  const { server, discord, guild, call } = world;
  const about = { pk: world.organizationId, name: 'Sample', description: 'From a page', url };
  const id = (await call('POST', '/miniapps', about)).json.id as string;
  const operator = contextFor(server.services, { kind: 'admin', name: 'test' });
  await decideMiniApp(operator, { id, decision: 'approve' });
  assert.equal((await decideMiniApp(operator, { id, decision: 'list' })).status, 'LISTED');
  const path = `/communities/${encodeURIComponent(guild.communityId)}/apps/${id}`;
  const commands = () => discord.application.commands.get(guild.guildId)?.size ?? 0;
  const without = commands();
  assert.equal((await call('POST', path, {})).status, 200);
  await until('Discord shows the command', () => commands() > without);
  const who = { userId: guild.memberId, channelId: guild.channelId };
  try {
    await use({
      command: (command, options = {}) => discord.press({ ...who, command, options }),
      button: (messageId, customId) => discord.press({ ...who, messageId, customId }),
    });
  } finally {
    await call('DELETE', path);
    await until('Discord does not show it any more', () => commands() === without);
    await call('DELETE', `/miniapps/${id}`);
  }
}

/** Does the same with a program of the workshop, which runs meanwhile. */
export async function withProgram(
  world: MiniAppWorld,
  workshop: Workshop,
  command: string,
  use: (member: Member) => Promise<void>,
): Promise<void> {
  const { json: config } = await world.server.request('GET', '/config');
  const port = await freePorts();
  const url = `http://127.0.0.1:${port}`;
  await using _program = workshop.start(command, {
    LATCHKEY_ACTION_KEY: config.actionEd25519PublicKeyHex,
    LATCHKEY_CLIENT_ID: world.clientId,
    PORT: String(port),
  });
  const isThere = () =>
    fetch(`${url}/metadata`).then(
      ({ ok }) => ok,
      () => false,
    );
  await until(`${command} listens`, isThere);
  await withApp(world, url, use);
}

/** Waits until a user sees this text; a slow app is first shown as thinking. */
export function shows(pressed: Pressed, text: RegExp): Promise<string> {
  return until(`a member reads ${text}`, () => text.exec(pressed.message()?.content ?? '')?.[0] ?? '');
}
