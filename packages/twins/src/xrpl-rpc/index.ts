export type { XrplLine, XrplNft, XrplState } from './ledger.ts';
export { startXrplRpcTwin, type XrplRpcTwin } from './xrpl-rpc.ts';
