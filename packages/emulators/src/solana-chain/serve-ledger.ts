import { type EmulatorReply, type EmulatorRequest, startHttpEmulator } from '../http-emulator/index.ts';
import type { SolanaChain, SolanaChainOptions } from './chain.ts';
import { Ledger } from './ledger.ts';
import { masterEditionAccount, metadataAccount, printAccount } from './metaplex.ts';
import { type ChainState, methods } from './methods.ts';
import { RpcError } from './rpc-error.ts';
import { balanceAccount, mintAccount } from './spl-tokens.ts';

const mainnetGenesis = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';

/** Puts a new ledger behind the RPC of a node. */
export async function serveLedger(options: SolanaChainOptions): Promise<SolanaChain> {
  const { genesisHash = mainnetGenesis, ...address } = options;
  const ledger = new Ledger();
  const state: ChainState = { ledger, genesisHash, assets: [] };
  const emulator = await startHttpEmulator((request) => answer(request, state), address);
  return {
    ...emulator,
    assets: state.assets,
    get slot() {
      return ledger.slot;
    },
    nextSlot: () => ledger.nextSlot(),
    setMint: (mint) => ledger.putAccount(mintAccount(mint)),
    setBalance: async (balance) => ledger.putAccount(await balanceAccount(balance)),
    describeToken: async (token) => ledger.putAccount(await metadataAccount(token)),
    makeOriginal: async (mint) => ledger.putAccount(await masterEditionAccount(mint)),
    makePrint: async (...print) => ledger.putAccount(await printAccount(...print)),
  };
}

function answer({ body }: EmulatorRequest, state: ChainState): EmulatorReply {
  if (body === undefined) return { body: failure(null, new RpcError(-32700, 'Parse error')) };
  if (!Array.isArray(body)) return { body: answerOne(body, state) };
  return { body: body.map((request) => answerOne(request, state)) };
}

function answerOne(request: unknown, state: ChainState): unknown {
  const { id = null, method, params = [] } = Object(request);
  try {
    const run = typeof method === 'string' && Object.hasOwn(methods, method) ? methods[method] : undefined;
    if (run === undefined) throw new RpcError(-32601, 'Method not found');
    return { jsonrpc: '2.0', result: run(params, state), id };
  } catch (error) {
    return failure(id, error instanceof RpcError ? error : new RpcError(-32603, 'Internal error'));
  }
}

function failure(id: unknown, { code, message, data }: RpcError): unknown {
  return { jsonrpc: '2.0', error: { code, message, ...(data !== undefined && { data }) }, id };
}
