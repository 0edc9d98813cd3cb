import { evmSignatures } from '@latchkey/chains';
import {
  accountsOfWallet,
  findClientByApiKey,
  findClientRef,
  verifyAccessToken,
  verifyAdminKey,
  verifyAeToken,
  verifyEthereumHeader,
} from '@latchkey/core';
import { type Actor, AppError, type Operation, principalId, refuse } from '@latchkey/kernel';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { aliceId } from './identities.ts';
import { newDevice } from './passkeys.ts';
import { sampleRequest } from './sample-request.ts';
import { isMounted, served } from './served.ts';
import type { World } from './set-up-world.ts';
import type { TestAnswer } from './test-server.ts';
import { visit } from './visit-server.ts';

/** One step of an attacker who wants more access than they were granted. Returns every credential in the responses. */
export interface Attempt {
  name: string;
  run(hold: Hold): Promise<string[]>;
  toString(): string;
}

/** What an attacker has: the credential they started with, and their own wallet and device. */
interface Hold {
  authorization: string;
  wallet: PrivateKeyAccount;
  device: ReturnType<typeof newDevice>;
}

/** A credential that is stronger than the one it came from. */
export interface Found {
  from: string;
  by: string;
  steps: string[];
  opens: string[];
}

/** Patterns of all credentials that can appear in a response: AE tokens, access tokens, keys. */
const forms = [
  /\b[\w-]+\.[\w-]*\.[\w-]+\.[\w-]+\.[\w-]+\b/g,
  /\blk_at_[\w-]{43}/g,
  /\b[0-9A-Za-z]{21}\.[0-9A-Za-z]{43}\b/g,
  /\badmin[A-Za-z0-9]{12}\.\w+/g,
];

/** Their samples are responses of alice's own device, which no attacker has; the tricks use the attacker's device. */
const byHerDevice = ['POST /webauthn/authentication/store', 'POST /webauthn/authentication/verify'];

export function openEscalationGraph(world: World) {
  const { server } = world;
  const { services } = server;
  const wallets = {
    signatures: evmSignatures,
    accountsOfWallet: (address: string) => accountsOfWallet(services.db, address),
    acceptsFixedText: true,
  };
  const closed = served.filter((operation) => !isMounted(operation));
  const atHand = closed.filter(({ route }) => !byHerDevice.includes(route));

  const call = (method: string, path: string, authorization: string | undefined, json?: unknown) =>
    server.request(method, path, {
      ...(authorization !== undefined && { headers: { authorization } }),
      ...(json !== undefined && { json }),
    });

  const calls: Attempt[] = atHand.map((operation) => ({
    name: operation.route,
    run: async ({ authorization }) => credentialsIn(await visit(server, draft(operation), { authorization })),
    toString: () => operation.route,
  }));

  function draft(operation: Operation) {
    return sampleRequest(operation, world.samples);
  }

  /** Steps that need more than a request: a key that signs, a device that responds, a page that is opened. */
  const tricks = Object.entries({
    'link a wallet of our own': async ({ authorization, wallet }: Hold) => {
      const { message } = (await call('GET', '/account/auth-message', authorization)).json ?? {};
      if (typeof message !== 'string') return [];
      const signedMessage = await wallet.signMessage({ message });
      return credentialsIn(
        await call('POST', '/account/wallet-address', authorization, {
          address: wallet.address,
          message,
          signedMessage,
        }),
      );
    },
    'sign in with a wallet of our own': async ({ wallet }: Hold) => {
      const accountId = `evm:1:${wallet.address}`;
      const { requestId, message } = (await call('POST', '/ethereum-login/challenges', undefined, { accountId })).json;
      const signature = await wallet.signMessage({ message });
      return credentialsIn(await call('POST', '/ethereum-login/id-tokens', undefined, { requestId, signature }));
    },
    'switch on sign-in for every wallet': async ({ authorization }: Hold) => {
      const { json } = await call('GET', '/latchkey/account/wallets', authorization);
      if (!Array.isArray(json)) return [];
      for (const { id } of json) await call('PUT', `/latchkey/account/wallets/${id}/sign-in`, authorization);
      return [];
    },
    'add a passkey of our own': async ({ authorization, device }: Hold) => {
      const options = await call('GET', '/webauthn/registration/options', authorization);
      const made = options.status === 200 && unlessRefused(() => device.create(options.json));
      return made ? credentialsIn(await call('POST', '/webauthn/registration/verify', authorization, made)) : [];
    },
    'sign in with a passkey of our own': async ({ device }: Hold) => {
      const options = await call('GET', '/webauthn/authentication/options', undefined);
      const answer = unlessRefused(() => device.get(options.json));
      return answer ? credentialsIn(await call('POST', '/webauthn/authentication/verify', undefined, answer)) : [];
    },
    'have the hosted wallet sign in': async ({ authorization }: Hold) => {
      const address = world.hostedWallet;
      const body = { accountId: `evm:1:${address}` };
      const { requestId, message } = (await call('POST', '/ethereum-login/challenges', undefined, body)).json;
      const signed = await call('POST', '/pkp/sign-message', authorization, { address, message });
      if (signed.status !== 200) return [];
      const { signature } = signed.json;
      return credentialsIn(await call('POST', '/ethereum-login/id-tokens', undefined, { requestId, signature }));
    },
    'ask Reddit for a link and open it': async ({ authorization }: Hold) => {
      const { json } = await call('POST', '/reddit/wallet-connection-sessions', authorization, { username: 'alice' });
      const url = Object.values(json ?? {}).find((value) => typeof value === 'string' && value.includes('/connect/'));
      if (typeof url !== 'string') return [];
      return credentialsIn(await call('GET', new URL(url).pathname, undefined));
    },
    'log in to an application with the token': async ({ authorization }: Hold) => {
      const [, token = ''] = authorization.split(' ');
      const grant = { grant_type: 'password', client_id: world.oauth.client.id, username: aliceId, password: token };
      return credentialsIn(
        await server.request('POST', '/oauth2/token', {
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          body: new URLSearchParams(grant).toString(),
        }),
      );
    },
  }).map(([name, run]): Attempt => ({ name, run, toString: () => name }));

  return { calls, tricks, run };

  async function run(from: string, authorization: string, steps: readonly Attempt[]): Promise<Found | undefined> {
    const hold = { authorization, wallet: privateKeyToAccount(generatePrivateKey()), device: newDevice() };
    const held = new Set(opensOf(await actorOf(authorization.split(' ')[1] ?? '')));
    for (const [index, step] of steps.entries()) {
      for (const credential of await step.run(hold)) {
        const stronger = opensOf(await actorOf(credential)).filter((route) => !held.has(route));
        if (stronger.length > 0)
          return {
            from,
            by: step.name,
            steps: steps.slice(0, index + 1).map(({ name }) => name),
            opens: stronger.slice(0, 5),
          };
      }
    }
    return undefined;
  }

  /** Returns the operations that a caller may call as alice, or as one of her applications. */
  function opensOf(actor: Actor | undefined): string[] {
    if (actor === undefined || !isOfAlice(actor)) return [];
    return closed.filter(({ contract }) => refuse(contract.access, actor) === undefined).map(({ route }) => route);
  }

  function isOfAlice(actor: Actor): boolean {
    if (actor.kind === 'client') return actor.client.id === world.owned['client application']?.id;
    return actor.kind === 'admin' || principalId(actor) === aliceId;
  }

  /** Returns the actor of a text, by the server's own verification; undefined for anything but a credential. */
  async function actorOf(text: string): Promise<Actor | undefined> {
    const findClient = async (id: string) => (await findClientRef(services.db.pool, id))?.client;
    try {
      if (text.startsWith('lk_at_')) return await verifyAccessToken(services, text, findClient);
      if (text.startsWith('admin')) return await verifyAdminKey(services, text, '127.0.0.1');
      if (text.split('.').length === 5) return await verifyAeToken(services, text, findClient);
      if (text.split('.').length === 3)
        return await verifyEthereumHeader(services, text, { method: 'GET', path: '/' }, wallets);
      const found = await findClientByApiKey(services, text);
      return found && { kind: 'client', client: found.client, credential: 'api-key' };
    } catch (error) {
      if (error instanceof AppError) return undefined;
      throw error;
    }
  }
}

function credentialsIn({ text }: TestAnswer): string[] {
  return [...new Set(forms.flatMap((form) => text.match(form) ?? []))];
}

/** Returns the response of a device; undefined if it has no passkey yet, or already has one. */
function unlessRefused<Answer>(ask: () => Answer): Answer | undefined {
  try {
    return ask();
  } catch (error) {
    if (error instanceof DOMException) return undefined;
    throw error;
  }
}
