import {
  type GrantedTokens,
  type LinkedRoleComparison,
  type LinkedRoleRecord,
  type LinkedRoles,
  PlatformFailed,
} from '@latchkey/core/ports';
import { readIdentity } from '../../oauth/create-code-flow.ts';
import { createGrantFlow, type Grant } from '../../oauth/create-grant-flow.ts';
import { type DiscordLoginOptions, discordOAuth } from '../login/discord-oauth.ts';
import { type DiscordAnswer, type DiscordClient, platformFailed } from '../rest/create-client.ts';

const neededScope = 'role_connections.write';

/** Discord's numbers for the comparison types. */
const comparisons: Readonly<Record<LinkedRoleComparison, number>> = {
  'integer-at-least': 2,
  'days-since-at-least': 6,
};
const comparisonNames: readonly LinkedRoleComparison[] = ['integer-at-least', 'days-since-at-least'];

/** Manages the linked roles of one application: registered by its bot, set with the tokens of users who authorized it. */
export function createLinkedRoles(client: DiscordClient, login: DiscordLoginOptions): LinkedRoles {
  const oauth = discordOAuth(login, `identify ${neededScope}`);
  const flow = createGrantFlow(oauth);
  const records = `/applications/${login.clientId}/role-connections/metadata` as const;

  async function askAsBot(sent: Promise<DiscordAnswer>): Promise<unknown> {
    const answer = await sent;
    if (answer.kind === 'ok') return answer.body;
    throw platformFailed(answer);
  }

  return {
    issuer: new URL(login.apiUrl).origin,
    start: flow.start,
    finish: async (answer, signal) => {
      const grant = await flow.exchange(answer, signal);
      if (!grant.scopes.includes(neededScope))
        throw new PlatformFailed('forbidden', 'Discord did not grant permission to update linked roles.');
      const identity = readIdentity(oauth, await flow.read(oauth.profileUrl, grant.accessToken, signal));
      return { identity, tokens: toTokens(grant) };
    },
    refresh: async (refreshToken, signal) => toTokens(await flow.refresh(refreshToken, signal)),
    revoke: (refreshToken, signal) => flow.revoke(`${oauth.tokenUrl}/revoke`, refreshToken, signal),
    send: async (token, { userId, platformName, userName, values }, signal) => {
      const answer = await client.call('PUT', `/users/@me/applications/${login.clientId}/role-connection`, {
        priority: 'write',
        bearer: { token, userId },
        body: { platform_name: platformName, platform_username: userName, metadata: values },
        signal,
      });
      if (answer.kind !== 'ok') throw refusedFor(answer);
    },
    readRegistration: async (signal) => {
      const [application, found] = await Promise.all([
        askAsBot(client.call('GET', '/applications/@me', { signal })),
        askAsBot(client.call('GET', records, { signal })),
      ]);
      const { role_connections_verification_url: url } = Object(application) as Record<string, unknown>;
      return {
        verificationUrl: typeof url === 'string' && url !== '' ? url : undefined,
        records: Array.isArray(found) ? found.map(readRecord) : [],
      };
    },
    register: async (wanted, verificationUrl, signal) => {
      await askAsBot(client.call('PUT', records, { body: wanted.map(toRecord), signal }));
      await askAsBot(
        client.call('PATCH', '/applications/@me', {
          body: { role_connections_verification_url: verificationUrl },
          signal,
        }),
      );
    },
  };
}

function toTokens({ accessToken, refreshToken, expiresInSeconds }: Grant): GrantedTokens {
  if (refreshToken === undefined || expiresInSeconds === undefined)
    throw new PlatformFailed('forbidden', 'Discord did not return a refresh token.');
  return { accessToken, refreshToken, expiresInSeconds };
}

/** The user's token was refused, not the bot's. */
function refusedFor(answer: Exclude<DiscordAnswer, { kind: 'ok' }>): PlatformFailed {
  if (answer.kind === 'refused' && answer.status === 401)
    return new PlatformFailed('forbidden', 'Discord no longer accepts this user’s authorization.');
  if (answer.kind === 'refused' && answer.status === 400)
    return new PlatformFailed('malformed', `Discord rejected this: ${answer.message.replace(/[.\s]*$/, '')}.`);
  return platformFailed(answer);
}

function toRecord({ comparison, ...texts }: LinkedRoleRecord) {
  return { type: comparisons[comparison], ...texts };
}

function readRecord(record: unknown) {
  const { type, key, name, description } = Object(record) as Record<string, unknown>;
  const comparison = comparisonNames.find((known) => comparisons[known] === type);
  return { key: String(key), name: String(name), description: String(description), comparison };
}
