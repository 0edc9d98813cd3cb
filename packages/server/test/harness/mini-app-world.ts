import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { sql } from '@latchkey/db';
import { startDiscordEmulator } from '@latchkey/emulators/discord';
import { newMiniApp } from '../../../../scripts/new-miniapp.mjs';
import { startTestServer, type TestServer } from './test-server.ts';

export type MiniAppWorld = Awaited<ReturnType<typeof startMiniAppWorld>>;

/** Starts a server with a community on Discord, its owner's organization, and a running app from the template. */
export async function startMiniAppWorld() {
  const discord = await startDiscordEmulator({ seed: 'mini-app', answerWithinMs: 120_000 });
  const server = await startTestServer({
    LATCHKEY_DISCORD_BOT_TOKEN: discord.application.token,
    LATCHKEY_DISCORD_CLIENT_ID: discord.application.id,
    LATCHKEY_DISCORD_PUBLIC_KEY: discord.application.publicKey,
    LATCHKEY_DISCORD_API_URL: discord.url,
    LATCHKEY_ALLOW_PRIVATE_CALLBACKS: 'true',
  });
  await discord.setInteractionsUrl(`${server.url}/discord/interactions`);
  const made = discord.createGuild({ name: 'Cats' });
  const ownerId = `DIS#USER#${made.ownerId}`;
  const owner = await server.aeToken(ownerId);
  const call = (method: string, path: string, json?: unknown, authorization = owner) =>
    server.request(method, path, { headers: { authorization }, ...(json !== undefined && { json }) });
  const { json } = await call('POST', '/communities', { platform: 'discord', communityId: made.id, name: 'Cats' });
  const guild = {
    guildId: made.id,
    channelId: [...discord.getGuild(made.id).channels.keys()][0] ?? '',
    ownerId: made.ownerId,
    memberId: discord.addMember(made.id, { name: 'ada' }).user.id,
    communityId: json.id as string,
  };
  const organizationId = await makeOrganization(server, ownerId);
  const clientId = (await server.apiKey(['user:read'], ownerId)).id;
  await sql`update client_apps set organization_id = ${organizationId} where id = ${clientId}`.execute(
    server.services.db.system,
  );
  const parent = await mkdtemp(join(tmpdir(), 'latchkey-mini-app-'));
  const folder = join(parent, 'mine');
  await newMiniApp([folder]);
  const { app, url: appUrl } = await startApp(server, folder, clientId);
  const stop = async () => {
    app.kill('SIGKILL');
    await server.close();
    await discord.stop();
    await rm(parent, { recursive: true, force: true });
  };
  return { server, discord, guild, organizationId, clientId, folder, appUrl, call, stop };
}

/** Creates a verified organization of a user. */
export async function makeOrganization(server: TestServer, userId: string): Promise<string> {
  const now = new Date();
  const row = {
    id: server.services.random.id(21),
    created_by_id: userId,
    name: 'Devs',
    email: 'd@example.org',
    plan_id: 'free',
  };
  const times = { created_at: now, code_requested_at: now, verified_at: now };
  await server.services.db.system
    .insertInto('organizations')
    .values({ ...row, ...times })
    .execute();
  return row.id;
}

async function startApp(
  server: TestServer,
  cwd: string,
  clientId: string,
): Promise<{ app: ChildProcess; url: string }> {
  const { json: config } = await server.request('GET', '/config');
  const child = spawn(process.execPath, ['mini-app.ts'], {
    cwd,
    env: { LATCHKEY_ACTION_KEY: config.actionEd25519PublicKeyHex, LATCHKEY_CLIENT_ID: clientId, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  return { app: child, url: `http://127.0.0.1:${/port (\d+)/.exec(line)?.[1]}` };
}
