import { contextFor } from '@latchkey/core';
import { signAction } from '@latchkey/core/testing/insides';
import type { OutsideWorld } from './outside-world.ts';
import type { Sample, Samples } from './sample-request.ts';
import type { TestServer } from './test-server.ts';

/** Returns the headers with which this server signs calls to mini-apps. */
export async function signedCall(server: TestServer, body: string, at?: Date): Promise<Record<string, string>> {
  const services = at === undefined ? server.services : { ...server.services, clock: () => at };
  return { ...(await signAction(contextFor(services, { kind: 'system', job: 'test' }), body)) };
}

interface SignedBody {
  /** In the order in which a request uses them. */
  headers: Readonly<Record<string, string>>;
  body: string;
}

/** Bodies with their signatures. A request takes the headers of the next one, and then its body. */
function inOrder(route: string, calls: readonly SignedBody[]): Samples {
  let taken = -1;
  const current = () => calls[taken % calls.length];
  const headers = Object.keys(calls[0]?.headers ?? {}).map((name, index): [string, Sample] => [
    `${route} ${name}`,
    () => {
      if (index === 0) taken += 1;
      return current()?.headers[name] ?? '';
    },
  ]);
  return { ...Object.fromEntries(headers), [`${route} body`]: () => current()?.body ?? '' };
}

const bodies: Readonly<Record<string, readonly object[]>> = {
  'POST /hello-action/events': [
    { event: 'install', guildId: '1' },
    { event: 'uninstall', guildId: '2' },
  ],
  'POST /hello-action/interactions': [
    { type: 1 },
    { type: 2, data: { name: 'hello-action', options: [{ name: 'your-name', value: 'Ada' }] } },
    { type: 3, data: { custom_id: 'x' }, actionContext: { guildName: 'Cats', isAdmin: true } },
  ],
};

/**
 * Calls of mini-apps that this server signed, and messages that the payment provider signed; valid for five minutes.
 */
export async function sampleSignedCalls(server: TestServer, { stripe }: OutsideWorld): Promise<Samples> {
  const samples = Object.entries(bodies).map(async ([route, contents]) => {
    const calls = contents.map(async (content) => {
      const body = JSON.stringify(content);
      const signed = await signedCall(server, body);
      const headers = {
        'X-Signature-Timestamp': signed['x-signature-timestamp'] ?? '',
        'X-Signature-Ecdsa': signed['x-signature-ecdsa'] ?? '',
        'X-Signature-Ed25519': signed['x-signature-ed25519'] ?? '',
      };
      return { headers, body };
    });
    return inOrder(route, await Promise.all(calls));
  });
  const events = ['customer.created', 'customer.updated'].map((type) => {
    const id = `evt_${server.services.random.id(16)}`;
    const { body, signature } = stripe.sign({ id, type, created: stripe.state.now(), object: {} });
    return { headers: { 'Stripe-Signature': signature }, body };
  });
  return Object.assign({}, ...(await Promise.all(samples)), inOrder('POST /stripe/webhook', events));
}
