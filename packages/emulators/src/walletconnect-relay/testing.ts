import { Core } from '@walletconnect/core';
import { SignClient } from '@walletconnect/sign-client';

export type Client = Awaited<ReturnType<typeof SignClient.init>> & AsyncDisposable;

let count = 0;

/** WalletConnect's official client, in memory, connected to one relay only. */
export async function openSignClient(relayUrl: string, name: string, projectId = 'test-project'): Promise<Client> {
  count += 1;
  const core = new Core({
    relayUrl,
    projectId,
    telemetryEnabled: false,
    customStoragePrefix: `${name}-${count}`,
    logger: 'silent',
  });
  // WalletConnect's verification server, which attests the origin of a page, is not called.
  core.verify.resolve = async () => ({ origin: '' });
  const settleSending = followSending(core);
  const metadata = { name, description: name, url: 'https://wallet.example', icons: [] };
  const client = await SignClient.init({ core, metadata, logger: 'silent' });
  endSessionsOnce(client);
  return Object.assign(client, {
    [Symbol.asyncDispose]: async () => {
      await settleSending();
      core.heartbeat.stop();
      await core.relayer.transportClose();
    },
  });
}

type EndSession = (topic: string, payload: object) => Promise<void>;

/**
 * A relay may deliver the end of a session again, and both sides may end it at once. The library then checks a session that it has deleted,
 * without awaiting the check, and the rejection ends the test's process. Ends of sessions that are over are dropped before that.
 */
function endSessionsOnce({ engine, session }: Awaited<ReturnType<typeof SignClient.init>>): void {
  // The method is private in the library's types.
  const handlers = engine as unknown as { onSessionDeleteRequest: EndSession };
  const endSession = handlers.onSessionDeleteRequest;
  const ended = new Set<string>();
  handlers.onSessionDeleteRequest = async (topic, payload) => {
    if (ended.has(topic) || !session.keys.includes(topic)) return;
    ended.add(topic);
    await endSession(topic, payload);
  };
}

/** Work in flight when a client closes delays it for a minute. This waits only for that work, and sends no more. */
function followSending({ relayer }: InstanceType<typeof Core>): () => Promise<void> {
  const sending = new Set<Promise<void>>();
  const publish = relayer.publish.bind(relayer);
  relayer.publish = (...message) => {
    const sent = publish(...message).finally(() => sending.delete(sent));
    sending.add(sent);
    return sent;
  };
  return async () => {
    relayer.publish = async () => undefined;
    await Promise.allSettled(sending);
  };
}
