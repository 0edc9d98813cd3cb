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
  return Object.assign(client, {
    [Symbol.asyncDispose]: async () => {
      await settleSending();
      core.heartbeat.stop();
      await core.relayer.transportClose();
    },
  });
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
