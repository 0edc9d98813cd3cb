import type { Config } from '../config.ts';

/**
 * The keys of the emulators around the sample community, and the secrets of the callers that they stand for. They only
 * work while nobody but this machine can reach the server.
 */
export const sampleKeys = {
  opensea: 'key-of-the-opensea-emulator',
  tokenproof: 'secret-of-the-tokenproof-emulator',
  'snapshot-webhook': 'secret-of-the-snapshot-emulator',
  paymaster: 'secret-of-the-sample-paymaster',
} as const;

type ServiceConfig = Pick<Config, 'chainUrls' | 'paymaster' | 'sandboxPort' | 'serviceKeys' | 'waitingList'>;

/** The steps from the first port of the emulators. */
const steps = { snapshot: 6, opensea: 7, tokenproof: 8 } as const;

/**
 * Returns the settings of services with an emulator for each that the operator did not configure. A service with an
 * address or a key of the operator's gets nothing from here: a sample key would let others call a real webhook.
 */
export function sampleServices(
  { chainUrls, paymaster, sandboxPort, serviceKeys, waitingList }: ServiceConfig,
  contracts: Config['waitingList']['contracts'],
): Pick<Config, 'chainUrls' | 'paymaster' | 'serviceKeys'> {
  const isOwn = (name: string) => chainUrls.has(name) || serviceKeys.has(name);
  const urls = Object.entries(steps).filter(([name]) => !isOwn(name) && !isOwn(`${name}-webhook`));
  const keys = Object.entries(sampleKeys).filter(([name]) => !isOwn(name) && !isOwn(name.replace('-webhook', '')));
  const isPaymasterOwn = isOwn('paymaster') || paymaster.calls.length > 0 || waitingList.contracts.length > 0;
  return {
    chainUrls: new Map([
      ...chainUrls,
      ...urls.map(([name, above]): [string, string[]] => [name, [`http://127.0.0.1:${sandboxPort + above}`]]),
    ]),
    serviceKeys: new Map([
      ...serviceKeys,
      ...keys
        .filter(([name]) => name !== 'paymaster' || !isPaymasterOwn)
        .map(([name, key]): [string, string[]] => [name, [key]]),
    ]),
    paymaster: isPaymasterOwn
      ? paymaster
      : {
          ...paymaster,
          calls: contracts.map((contract) => ({ ...contract, address: contract.address.toLowerCase() })),
        },
  };
}
