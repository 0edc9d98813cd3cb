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
  looksLikeAccessToken,
  type ProviderToken,
  putArtifact,
  putGrant,
  putProviderToken,
  removeArtifact,
  type Services,
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
export function createAdapters(services: Services): AdapterFactory {
  return (name) => whole(name, storeFor(services, name));
}

function storeFor(services: Services, name: string): Store {
  const kind = artifactKinds[name];
  if (kind !== undefined) return artifactStore(services, kind);
  switch (name) {
    case 'AccessToken':
    case 'ClientCredentials':
      return tokenStore(services, name);
    case 'Grant':
      return {
        find: async (id) => findGrant(services, id),
        upsert: (id, payload) => putGrant(services, id, { ...payload }),
        destroy: (id) => endGrant(services, id),
      };
    case 'Client':
      return {
        find: async (id) => {
          const client = await findOauthClient(services, id);
          return client && toProviderClient(client);
        },
        upsert: notKept,
        destroy: notKept,
      };
    default:
      return { find: notKept, upsert: notKept, destroy: notKept };
  }
}

function artifactStore(services: Services, kind: ArtifactKind): Store {
  return {
    // A token whose kind is not told is looked for among all kinds; its form says that it is none of these.
    find: async (id) => (looksLikeAccessToken(id) ? undefined : asPayload(await findArtifact(services, kind, id))),
    findByUid: async (uid) => asPayload(await findSessionByUid(services, uid)),
    upsert: (id, payload, expiresIn = 0) => putArtifact(services, kind, id, { ...payload }, expiresIn),
    destroy: (id) => removeArtifact(services, kind, id),
    consume: async (id) => {
      if (await consumeArtifact(services, kind, id)) return;
      // Somebody else used it between our look and our use: a replay, like any other.
      const used = await findArtifact(services, kind, id);
      if (used?.grantId !== undefined) await endGrant(services, used.grantId);
      throw new errors.InvalidGrant('it was used at the same time by somebody else');
    },
    // The grant is ended along with it, and that ends these.
    revokeByGrantId: async () => undefined,
  };
}

function tokenStore(services: Services, kind: ProviderToken['kind']): Store {
  return {
    find: async (token) => asPayload(await findProviderToken(services, kind, token)),
    upsert: (token, payload) => putProviderToken(services, token, { ...payload, kind }),
    destroy: (token) => endProviderToken(services, token),
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
