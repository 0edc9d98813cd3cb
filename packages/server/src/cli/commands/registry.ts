import { registrarKey } from '@latchkey/core';
import { deployRegistry, registrarOf } from '../../compose/hosted-wallets.ts';
import { type Command, unknownSubcommand } from '../command.ts';
import { print } from '../print.ts';
import { runAudited } from '../run-audited.ts';

export const registry: Command = {
  usage: 'registry | registry deploy',
  meaning: 'show the hosted-wallet registry and the account that pays for it, or deploy the registry contract',
  words: 1,
  options: {},
  run: async (ctx, [verb], _options, config) => {
    const { chainId, address, registrarKey: configured } = config.registry;
    const key = configured === undefined ? await registrarKey(ctx) : Buffer.from(configured.slice(2), 'hex');
    if (verb === undefined) {
      print(`Chain      ${chainId ?? 'none yet: set LATCHKEY_REGISTRY_CHAIN_ID'}`);
      print(`Registry   ${address ?? 'none yet: run registry deploy, then set LATCHKEY_REGISTRY_ADDRESS'}`);
      return print(`Registrar  ${registrarOf(key)}`);
    }
    if (verb !== 'deploy') throw unknownSubcommand(verb);
    const use = { action: 'registry.deploy', details: { chainId: chainId ?? null } } as const;
    const made = await runAudited(ctx, use, () => deployRegistry(config, key));
    print(`The registry is deployed on chain ${chainId}. Set on every server and worker:`);
    print(`LATCHKEY_REGISTRY_ADDRESS=${made.address}`);
  },
};
