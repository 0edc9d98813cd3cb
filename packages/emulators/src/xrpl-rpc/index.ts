export type { XrplLine, XrplNft, XrplState } from './ledger.ts';
export { startXrplRpcEmulator, type XrplRpcEmulator } from './xrpl-rpc.ts';
