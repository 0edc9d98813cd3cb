import {
  type ArtifactKind,
  consumeArtifact,
  endGrant,
  endProviderToken,
  findArtifact,
  findGrant,
  findOauthClient,
  findProviderToken,
  findSessionByUid,
  type Platform,
  type ProviderToken,
  putArtifact,
  putGrant,
  putProviderToken,
  removeArtifact,
} from '@latchkey/core';
import type { Adapter, AdapterFactory, AdapterPayload } from 'oidc-provider';
import { errors } from 'oidc-provider';
import { toProviderClient } from './client.ts';
import { asProtocolError } from './protocol-error.ts';

type Store = Pick<Adapter, 'find' | 'upsert' | 'destroy'> & Partial<Adapter>;

const artifactKinds: Readonly<Record<string, ArtifactKind>> = {
  Session: 'session',
  Interaction: 'interaction',
  AuthorizationCode: 'code',
  RefreshToken: 'refresh-token',
};

/** Lets the provider keep its state in our tables. */
export function createAdapters(platform: Platform): AdapterFactory {
  return (name) => whole(name, storeFor(platform, name));
}

function storeFor(platform: Platform, name: string): Store {
  const kind = artifactKinds[name];
  if (kind !== undefined) return artifactStore(platform, kind);
  switch (name) {
    case 'AccessToken':
    case 'ClientCredentials':
      return tokenStore(platform, name);
    case 'Grant':
      return {
        find: async (id) => findGrant(platform, id),
        upsert: (id, payload) => putGrant(platform, id, { ...payload }),
        destroy: (id) => endGrant(platform, id),
      };
    case 'Client':
      return {
        find: async (id) => {
          const client = await findOauthClient(platform, id);
          return client && toProviderClient(client);
        },
        upsert: notKept,
        destroy: notKept,
      };
    default:
      return { find: notKept, upsert: notKept, destroy: notKept };
  }
}

function artifactStore(platform: Platform, kind: ArtifactKind): Store {
  return {
    find: async (id) => asPayload(await findArtifact(platform, kind, id)),
    findByUid: async (uid) => asPayload(await findSessionByUid(platform, uid)),
    upsert: (id, payload, expiresIn = 0) => putArtifact(platform, kind, id, { ...payload }, expiresIn),
    destroy: (id) => removeArtifact(platform, kind, id),
    consume: async (id) => {
      if (await consumeArtifact(platform, kind, id)) return;
      // Somebody else used it between our look and our use: a replay, like any other.
      const used = await findArtifact(platform, kind, id);
      if (used?.grantId !== undefined) await endGrant(platform, used.grantId);
      throw new errors.InvalidGrant('it was used at the same time by somebody else');
    },
    // The grant is ended along with it, and that ends these.
    revokeByGrantId: async () => undefined,
  };
}

function tokenStore(platform: Platform, kind: ProviderToken['kind']): Store {
  return {
    find: async (token) => asPayload(await findProviderToken(platform, kind, token)),
    upsert: (token, payload) => putProviderToken(platform, token, { ...payload, kind }),
    destroy: (token) => endProviderToken(platform, token),
    revokeByGrantId: async () => undefined,
  };
}

// What was stored is what the provider gave; its types name every field of every model at once.
function asPayload(content: object | undefined): AdapterPayload | undefined {
  return content as AdapterPayload | undefined;
}

async function notKept(): Promise<never> {
  throw new Error('The provider keeps something that this server has no place for.');
}

/** Every method, with the faults of the database turned into what clients of OAuth2 understand. */
function whole(name: string, store: Store): Adapter {
  const guarded =
    <Args extends unknown[], Result>(method: ((...args: Args) => Promise<Result>) | undefined) =>
    async (...args: Args): Promise<Result> => {
      if (method === undefined) throw new Error(`${name} cannot be kept in this way.`);
      try {
        return await method(...args);
      } catch (error) {
        throw asProtocolError(error);
      }
    };
  return {
    find: guarded(store.find),
    upsert: guarded(store.upsert),
    destroy: guarded(store.destroy),
    consume: guarded(store.consume),
    findByUid: guarded(store.findByUid),
    findByUserCode: guarded(store.findByUserCode),
    revokeByGrantId: guarded(store.revokeByGrantId),
  };
}
