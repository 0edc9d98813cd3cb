import assert from 'node:assert/strict';
import { type RuleSetApi, restApi } from '@latchkey/cli';
import { contextFor, createRule } from '@latchkey/core';
import { sql } from '@latchkey/db';
import { type GatedWorld, startGatedWorld } from './gated-world.ts';
import { startTestServer, type TestServer } from './test-server.ts';

export const roleNames = ['Holder', 'Whale', 'VIP', 'Key holder', '100% real', 'a: b', '# odd'] as const;

/** A community whose rules are kept in a file. */
export interface RuleCommunity {
  id: string;
  guild: { id: string };
  /** The server, with the API key of an application that has the scopes in the community. */
  api: RuleSetApi;
  key: string;
  /** Calls the server as an admin of the community. */
  // biome-ignore lint/suspicious/noExplicitAny: a test states the shape it expects in its assertion.
  ask(method: string, path: string, json?: unknown): Promise<any>;
  create(rule: Record<string, unknown>): Promise<unknown>;
  roleOf(name: string): string;
  /** The stored rules, and how many entries their histories have. */
  readRules(): Promise<{ id: string; definition: Record<string, unknown>; updated_at: Date }[]>;
  countChanges(): Promise<number>;
}

export interface RuleWorld extends AsyncDisposable {
  server: TestServer;
  world: GatedWorld;
  settle(scopes?: string[]): Promise<RuleCommunity>;
}

/** A complete server with its worker, a chain and a Discord emulator. */
export async function startRuleWorld(): Promise<RuleWorld> {
  const world = await startGatedWorld({ areLimitsWide: true });
  const {
    LATCHKEY_EVM_RPC_URLS: chain,
    LATCHKEY_HOLD_COUNT: _count,
    LATCHKEY_HOLD_PER_DAY: _perDay,
    ...environment
  } = world.environment;
  // Nothing listens for chain 1, which refuses no rule.
  const server = await startTestServer({
    ...(environment as Record<string, string>),
    LATCHKEY_EVM_RPC_URLS: `${chain},1=http://127.0.0.1:9`,
  });
  let communities = 0;
  return {
    server,
    world,
    settle: (scopes) => {
      communities += 1;
      return settle({ server, world }, `Cats ${communities}`, scopes);
    },
    [Symbol.asyncDispose]: async () => {
      await server.close();
      await world[Symbol.asyncDispose]();
    },
  };
}

/** A guild with roles that the bot may give, its community, and an application with these scopes in it. */
async function settle(
  { server, world }: Pick<RuleWorld, 'server' | 'world'>,
  name: string,
  scopes = ['rules:plan', 'rules:apply', 'rules:brakes'],
): Promise<RuleCommunity> {
  const guild = world.discord.createGuild({ name });
  const roles = new Map(
    roleNames.map((role) => [role as string, world.discord.createRole(guild.id, { name: role }).id]),
  );
  const owner = await server.aeToken(`DIS#USER#${guild.ownerId}`);
  const ask = async (method: string, path: string, json?: unknown) => {
    const answer = await server.request(method, path, {
      headers: { authorization: owner },
      ...(json !== undefined && { json }),
    });
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`);
    return answer.json;
  };
  const { id } = await ask('POST', '/communities', { platform: 'discord', communityId: guild.id, name });
  const { id: clientId, key } = await server.apiKey(['rules:plan', 'rules:apply', 'rules:brakes', 'community:read']);
  await ask('PUT', `/latchkey/communities/${encodeURIComponent(id)}/applications/${clientId}`, { scopes });
  const db = server.services.db.system;
  return {
    id,
    guild,
    key,
    api: restApi({ baseUrl: server.url, apiKey: key }),
    ask,
    create: (body) => createRule(contextFor(server.services, { kind: 'admin', name: 'test' }), { id, body }),
    roleOf: (role) => roles.get(role) ?? assert.fail(role),
    readRules: async () =>
      (
        await sql<{ id: string; definition: Record<string, unknown>; updated_at: Date }>`
        select * from community_rules where community_id = ${id} order by position nulls last, created_at, id`.execute(
          db,
        )
      ).rows,
    countChanges: async () =>
      (
        await sql<{
          n: number;
        }>`select count(*)::int as n from community_rule_changes where community_id = ${id}`.execute(db)
      ).rows[0]?.n ?? 0,
  };
}
