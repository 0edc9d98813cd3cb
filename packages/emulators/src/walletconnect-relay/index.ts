export { startWalletConnectRelay, type WalletConnectRelay } from './start.ts';
